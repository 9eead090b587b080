// How the rows of data/emit are written: see base/fields.h.
#pragma once

#include <concepts>
#include <type_traits>

#include "gpuadvise/emit.h"

#include "base/fields.h"

namespace gpuadvise {

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, EmitTemplate>
void fields(V& v, S& s) {
  v("format", s.format, base::Need::required);
  v("vendor", s.vendor);
  v("product", s.product);
  v("stack", s.stack);
  v("text", s.text, base::Need::required);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, EmitLaunch>
void fields(V& v, S& s) {
  v("id", s.id, base::Need::required);
  v("software", s.software);
  v("work", s.work, base::Need::required);
  v("stack", s.stack);
  v("splits_layers", s.splits_layers);
  v("image", s.image);
  v("command", s.command, base::Need::required);
  v("several", s.several);
  v("benchmark", s.benchmark);
  v("source", s.source);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, EmitDisk>
void fields(V& v, S& s) {
  v("vendor", s.vendor, base::Need::required);
  v("listed", s.listed);
  v("category", s.category, base::Need::required);
  v("level", s.level);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, EmitCheck>
void fields(V& v, S& s) {
  v("id", s.id, base::Need::required);
  v("vendor", s.vendor);
  v("product", s.product);
  v("about", s.about, base::Need::required);
  v("command", s.command, base::Need::required);
  v("source", s.source);
}

}  // namespace gpuadvise
