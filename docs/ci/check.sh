#!/bin/sh
# Judge the plan of the folder at hand. Exit code: 0 fine, 1 findings, 2 the plan could not be judged.
set -eu
terraform plan -input=false -out=plan.out
terraform show -json plan.out | gpuadvise check - --source-dir . --fail-on "${FAIL_ON:-error}"
