"""Calculations: lets an agent run a small Python program to compute something."""

from agenticos_app.contracts.capability import CapabilityDef, Category, ToolInfo
from agenticos_app.kernel.scopes import Scope
from capabilities.code_execution import text
from capabilities.code_execution.config import CodeExecutionConfig
from capabilities.code_execution.tools import build

CAPABILITY = CapabilityDef(
    id="code_execution",
    category=Category.ANALYSIS,
    icon="calculator",
    scopes=(Scope.CODE_EXECUTE,),
    config=CodeExecutionConfig,
    tools=(ToolInfo(id="run_python", text=text.RUN_PYTHON, subject="code"),),
    build=build,
)
