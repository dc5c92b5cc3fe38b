"""What a run hands to its tools, without a database: files with texts, and a sandbox."""

from collections.abc import Mapping
from datetime import UTC, datetime

from pydantic_ai import RunContext
from pydantic_ai.models.test import TestModel
from pydantic_ai.toolsets import AbstractToolset
from pydantic_ai.usage import RunUsage

from agenticos_app.contracts.capability import AttachedFile, CodeSandbox, RunDeps, SandboxResult
from agenticos_app.errors import NotFound
from agenticos_app.kernel.ids import ConversationId, FileId, OrganizationId, RunId, new_id
from agenticos_app.runner.tools import RunTools


class MemoryTexts:
    """Texts of files by id."""

    def __init__(self, texts: Mapping[FileId, str]) -> None:
        self._texts = texts

    async def text_of(self, file_id: FileId) -> str:
        if file_id not in self._texts:
            raise NotFound(file_id=str(file_id))
        return self._texts[file_id]


class ScriptedSandbox:
    """A sandbox that runs nothing and always answers the same."""

    def __init__(self, result: SandboxResult | None = None) -> None:
        self.result = result or SandboxResult(printed="42\n")
        self.programs: list[str] = []
        self.limits: list[tuple[float, int]] = []

    async def run(self, code: str, *, timeout_s: float, memory_mb: int) -> SandboxResult:
        self.programs.append(code)
        self.limits.append((timeout_s, memory_mb))
        return self.result


def run_deps(files: Mapping[str, str] | None = None, sandbox: CodeSandbox | None = None) -> RunDeps:
    """Return the deps of a run whose conversation has these files, each a name and its text."""
    attached: list[AttachedFile] = []
    texts: dict[FileId, str] = {}
    for name, text in (files or {}).items():
        file_id = FileId(new_id())
        texts[file_id] = text
        lines = len(text.splitlines())
        attached.append(AttachedFile(id=file_id, name=name, size_bytes=len(text.encode()), lines=lines))
    return RunDeps(
        organization_id=OrganizationId(new_id()),
        run_id=RunId(new_id()),
        conversation_id=ConversationId(new_id()),
        started_at=datetime(2026, 11, 30, 14, 5, tzinfo=UTC),
        files=tuple(attached),
        file_texts=MemoryTexts(texts),
        sandbox=sandbox or ScriptedSandbox(),
    )


def run_tools(toolset: AbstractToolset[RunDeps], deps: RunDeps) -> RunTools:
    """Return the tools of a run as its step loop has them."""
    return RunTools(toolset, RunContext(deps=deps, model=TestModel(), usage=RunUsage()))
