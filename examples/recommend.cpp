// Asks for a recommendation as an embedding program would, through the public headers alone, and prints the pick.
//
//   example_recommend [PARAMS]      parameters of the model to fine-tune; 13e9 if not given
#include <cstdlib>
#include <gpuadvise/advise.h>
#include <gpuadvise/emit.h>
#include <gpuadvise/error.h>
#include <iomanip>
#include <iostream>

int main(int argc, char** argv) {
  try {
    const gpuadvise::Knowledge& knowledge = gpuadvise::builtin_knowledge();
    const gpuadvise::RuleSet rules(knowledge.rules);

    gpuadvise::Profile profile;
    profile.task = "llm-finetune";
    profile.model.params = argc > 1 ? std::strtod(argv[1], nullptr) : 13e9;
    profile.training.method = gpuadvise::Method::lora;

    const gpuadvise::Advice advice = gpuadvise::recommend(profile, knowledge, rules);
    if (advice.recommendations.empty()) {
      std::cout << "nothing fits; " << advice.rejected.size() << " types were rejected\n";
      return 1;
    }
    const gpuadvise::Recommendation& pick = advice.recommendations.front();
    std::cout << pick.machine.nodes << " x " << pick.type->name << ", " << pick.machine.accelerators_per_node << " x "
              << pick.machine.accelerator->name << " each\n"
              << std::fixed << std::setprecision(1) << "memory " << pick.estimate.memory.device << " of "
              << pick.estimate.memory.capacity_gib << " GiB per card\n";
    for (const gpuadvise::Note& reason : pick.reasons) std::cout << "- " << reason.text << '\n';
    for (const gpuadvise::VerifyStep& step : gpuadvise::verify_steps(advice, knowledge, gpuadvise::Lang::en)) {
      std::cout << step.says << ": " << step.command << '\n';
    }
    return 0;
  } catch (const gpuadvise::InputError& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
