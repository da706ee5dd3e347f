#!/usr/bin/env bash
# Runs the gate inside the GitHub Action. Inputs come as environment variables, so that no value of a pull request
# is ever part of a script; empty ones are left to steelyard.yaml. In a pull request that file, like the tasks, is taken
# from the base branch: a change must not loosen the gate that judges it.
set -uo pipefail

out="$RUNNER_TEMP/steelyard-gate"
mkdir -p "$out"
words=(--log-dir "$out/logs" --markdown "$out/report.md" --json "$out/comparison.json" --junit "$out/junit.xml" --sarif "$out/gate.sarif" --html "$out/gate.html" --github)

add() { if [ -n "$2" ]; then words+=("$1" "$2"); fi; }
add --tasks "${TASKS:-}"
read -r -a agents <<<"${AGENT:-}"
read -r -a models <<<"${MODEL:-}"
for name in ${agents[@]+"${agents[@]}"}; do add --agent "$name"; done
for name in ${models[@]+"${models[@]}"}; do add --model "$name"; done
add --epochs "${EPOCHS:-}"
add --policy "${POLICY:-}"
add --judge "${JUDGE:-}"
add --store "${STORE:-}"
add --ledger "${LEDGER:-}"

base=""
settings="$(cat steelyard.yaml 2>/dev/null)"
if [ -n "${BASE_REF:-}" ]; then
  base="refs/remotes/origin/$BASE_REF"
  git fetch --quiet --no-tags --depth=1 origin "+refs/heads/$BASE_REF:$base"
  settings="$(git show "$base:steelyard.yaml" 2>/dev/null)"
fi
add --base "$base"
# Isolated (-I): in a checkout, Python would otherwise import modules of the pull request, a json.py for example.
keys() {
  "${STEELYARD_PYTHON:-$RUNNER_TEMP/steelyard/bin/python}" -I -c '
import sys, yaml
try:
    gate = yaml.safe_load(sys.stdin)["gate"]
    for key, value in gate.items():
        print(f"{key}={value}")
    for each in gate.get("matrix") or ():
        print("agent=" + str(each["agent"]))
except (yaml.YAMLError, TypeError, KeyError, AttributeError):
    pass  # `gate run` says what is wrong with the file
'
}
gate="$(keys <<<"$settings")"
has() { grep -q "^$1=" <<<"$gate"; }

question="${QUESTION:-}"
if [ -z "$question" ] && ! has question; then
  question="safe"
fi
add --question "$question"

baseline="${BASELINE:-}"
candidate="${CANDIDATE:-}"
if [ -z "$baseline" ] && ! has baseline && [ -n "$base" ]; then
  baseline="git:$base"
fi
if [ -z "$candidate" ] && ! has candidate; then
  candidate="."
fi
add --baseline "$baseline"
add --candidate "$candidate"
read -r -a more <<<"${ARGS:-}"

steelyard="${STEELYARD:-$RUNNER_TEMP/steelyard/bin/steelyard}"
if [ -z "$settings" ] && [ -f steelyard.yaml ]; then
  gate="$(keys <steelyard.yaml)" # the first change that brings settings brings the agent, too
fi
if [ "${#agents[@]}" -eq 0 ]; then
  mapfile -t agents < <(sed -n s/^agent=//p <<<"$gate" | sort -u)
fi
for agent in ${agents[@]+"${agents[@]}"}; do
  case "$agent" in
    # The pinned client, with its hashes. If it cannot be installed, the gate says what is missing, or finds one on PATH.
    claude-code | codex | gemini-cli | opencode) "$steelyard" setup --agent "$agent" || true ;;
  esac
done
"$steelyard" gate run "${words[@]}" ${more[@]+"${more[@]}"}
code=$?

verdict=""
if [ -s "$out/comparison.json" ]; then
  verdict="$(python3 -I -c 'import json,sys; print(json.load(open(sys.argv[1]))["verdict"] or "")' "$out/comparison.json")"
fi
{
  echo "verdict=$verdict"
  echo "comparison=$out/comparison.json"
  echo "sarif=$(test -s "$out/gate.sarif" && echo "$out/gate.sarif")"
} >>"$GITHUB_OUTPUT"
exit "$code"
