// Time of collectives between the cards of one training job.
#pragma once

#include "gpuadvise/estimate.h"

namespace gpuadvise {

// What joins the cards, as calibrated rates in bytes per second and latencies in seconds.
struct Fabric {
  double cards_per_node = 1;
  double nodes = 1;
  double link = 0;  // one card, one direction, inside the node
  double link_latency = 0;
  double network = 0;      // one node, one direction
  double hop_latency = 0;  // of one step of a ring that leaves the node
};

Fabric training_fabric(const Machine& machine, const ChipTraining& chip, const FrameworkTraining& framework,
                       const TrainingCalibration& calibration);

// How a group of ranks lies on the nodes: `size` ranks whose neighbours are `stride` cards apart.
struct Group {
  double size = 1;
  double in_node = 1;  // ranks of the group on one node
};
Group group_on(const Fabric& fabric, double size, double stride);

// All-gather or reduce-scatter of `bytes` in total (the size of the gathered buffer), cut into `pieces` collectives; an
// all-reduce is two of them. A ring crosses each node border once, so all NICs of a node serve the groups that its
// cards are in together. Each piece pays the latency of a step for every rank of the ring.
double gather_seconds(const Fabric& fabric, const Group& group, double bytes, double pieces = 1);

// All-to-all of tokens to experts: every rank sends `copies` copies of `bytes`, spread evenly over the group. A token
// crosses to another node once, however many of its experts are there, and is copied on arrival.
double dispatch_seconds(const Fabric& fabric, const Group& group, double bytes, double copies);

// A neighbour of the group: `bytes` from each rank to the next.
double send_seconds(const Fabric& fabric, bool across_nodes, double bytes);

}  // namespace gpuadvise
