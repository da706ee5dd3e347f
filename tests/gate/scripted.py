"""An Inspect model that follows a script, for the real command-line clients to be driven by."""

from typing import Any

from inspect_ai.model import ChatMessageTool, ContentText, GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi

SHELLS = {"Bash": "command", "exec_command": "cmd", "run_shell_command": "command", "bash": "command"}
"""Shell tools of the clients → the argument that holds the command."""

READERS = {"Read": "file_path", "read_file": "file_path", "read": "filePath"}
"""Tools of the clients that read a file → the argument that names it."""

LOADERS = {"Skill": "skill", "activate_skill": "name", "skill": "name"}
"""Tools of the clients that load a skill → the argument that names it."""


class Status(Exception):
    """A provider's error with an HTTP status."""

    def __init__(self, status: int) -> None:
        super().__init__(f"scripted status {status}")
        self.status_code = status


@modelapi(name="puppet")
class Scripted(ModelAPI):
    """`puppet/solve` runs one shell command and ends; `puppet/stumble` reads a file that is not there before that;
    `puppet/skill` calls the skill count-herons; `puppet/mute` says nothing; `puppet/status-401` always fails so;
    `puppet/parts` runs a command, asks the MCP server for a tide and starts the subagent reviewer;
    `puppet/heed` does nothing where it reads "Never write the answer", and else solves."""

    def __init__(self, model_name: str, base_url: str | None = None, api_key: str | None = None,
                 config: GenerateConfig = GenerateConfig(), **_: Any) -> None:  # fmt: skip  # noqa: B008
        super().__init__(model_name, base_url, api_key, [], config)
        self.requests: list[Any] = REQUESTS

    async def generate(self, input: Any, tools: Any, tool_choice: Any, config: Any) -> ModelOutput:
        self.requests.append((input, tools))
        script, _, detail = self.model_name.partition("-")
        if script == "status":
            raise Status(int(detail))
        if script == "refused":
            raise ConnectionRefusedError("nobody listens")
        if script == "heed" and "Never write the answer" not in " ".join(message.text for message in input):
            script = "solve"
        answer = "" if script == "mute" else "Out of words: 429 rate limit, 401 unauthorized."
        # OpenAI's models have an id in each text, which the bridge hides in the answer.
        output = ModelOutput.from_content(self.model_name, [ContentText(text=answer, internal={"message_id": "msg_1"})])
        shell = next((tool.name for tool in tools if tool.name in SHELLS), None)
        reader = next((tool.name for tool in tools if tool.name in READERS), None)
        loader = next((tool.name for tool in tools if tool.name in LOADERS), None)
        tried = sum(isinstance(message, ChatMessageTool) for message in input)
        if script == "stumble" and reader and tried == 0:
            output = ModelOutput.for_tool_call(self.model_name, reader, {READERS[reader]: "/work/missing.txt"})
        elif script == "parts" and (turn := _part(tried, tools, shell)) is not None:
            output = ModelOutput.for_tool_call(self.model_name, *turn)
        elif script == "skill" and loader and tried == 0:
            output = ModelOutput.for_tool_call(self.model_name, loader, {LOADERS[loader]: "count-herons"})
        elif shell and (script, tried) in (("solve", 0), ("stumble", 1)):
            command = {SHELLS[shell]: "echo yes > answer.txt", **({"description": "x"} if shell == "Bash" else {})}
            output = ModelOutput.for_tool_call(self.model_name, shell, command)
        output.usage = ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)
        return output


def _part(tried: int, tools: Any, shell: str | None) -> tuple[str, dict[str, Any]] | None:
    """The next call that uses a part of a configuration, as far as the client offers it."""
    names = [tool.name for tool in tools]
    tide = next((name for name in names if name.endswith("next_tide")), None)
    starter = next((name for name in names if name in ("Task", "Agent", "task")), None)
    command = {SHELLS[shell]: "echo yes > answer.txt", "description": "x"} if shell else {}
    started = {"subagent_type": "reviewer", "prompt": "Look at it.", "description": "x"}
    calls = [
        (shell, command),
        *([(tide, {"port": "Kiel"})] if tide else []),
        *([(starter, started)] if starter else []),
    ]
    name, arguments = calls[tried] if tried < len(calls) else (None, {})
    return None if name is None else (name, arguments)


REQUESTS: list[Any] = []
"""(messages, tools) of every call, of all tests."""
