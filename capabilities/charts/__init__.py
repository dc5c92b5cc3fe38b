"""Charts: lets an agent draw numbers that it already has, so that the person sees them."""

from agenticos_app.contracts.capability import CapabilityDef, Category, ToolInfo
from capabilities.charts import text
from capabilities.charts.config import ChartsConfig
from capabilities.charts.tools import build

CAPABILITY = CapabilityDef(
    id="charts",
    category=Category.ANALYSIS,
    icon="chart-column",
    config=ChartsConfig,
    tools=(ToolInfo(id="create_chart", text=text.CREATE_CHART, subject="title"),),
    build=build,
)
