// Names as people write them: case, spaces and punctuation do not count. No allocation: estimates run by the thousand.
#pragma once

#include <string_view>

namespace gpuadvise {

// "YOLOv6-N (v0.4)" begins with "yolov6". An empty beginning fits nothing.
bool name_begins(std::string_view name, std::string_view beginning);

// "H.264 encode, preset P1" holds "h264" and "preset p1". An empty part is held by anything.
bool name_holds(std::string_view name, std::string_view part);

bool same_name(std::string_view a, std::string_view b);

}  // namespace gpuadvise
