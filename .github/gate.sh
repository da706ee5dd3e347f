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
add --agent "${AGENT:-}"
add --model "${MODEL:-}"
add --epochs "${EPOCHS:-}"
add --policy "${POLICY:-}"
add --judge "${JUDGE:-}"

base=""
settings="$(cat steelyard.yaml 2>/dev/null)"
if [ -n "${BASE_REF:-}" ]; then
  base="refs/remotes/origin/$BASE_REF"
  git fetch --quiet --no-tags --depth=1 origin "+refs/heads/$BASE_REF:$base"
  settings="$(git show "$base:steelyard.yaml" 2>/dev/null)"
fi
add --base "$base"
has() { grep -qE "^[[:space:]]+$1:" <<<"$settings"; }

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
agent="${AGENT:-$(sed -nE 's/^[[:space:]]+agent:[[:space:]]*([a-z-]+).*/\1/p' <<<"$settings" | head -n 1)}"
case "$agent" in
  # The pinned client, with its hashes. If it cannot be installed, the gate says what is missing, or finds one on PATH.
  claude-code | codex | gemini-cli | opencode) "$steelyard" setup --agent "$agent" || true ;;
esac
"$steelyard" gate run "${words[@]}" ${more[@]+"${more[@]}"}
code=$?

verdict=""
if [ -s "$out/comparison.json" ]; then
  verdict="$(python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["verdict"] or "")' "$out/comparison.json")"
fi
{
  echo "verdict=$verdict"
  echo "comparison=$out/comparison.json"
  echo "sarif=$(test -s "$out/gate.sarif" && echo "$out/gate.sarif")"
} >>"$GITHUB_OUTPUT"
exit "$code"
