// The parts of Apache ECharts that the report draws with. rebuild.sh bundles them into echarts.min.js.
import { use } from 'echarts/core';
import { BarChart, CustomChart, HeatmapChart, LineChart, ScatterChart } from 'echarts/charts';
import { GridComponent, LegendComponent, MarkAreaComponent, MarkLineComponent, TooltipComponent,
  VisualMapComponent } from 'echarts/components';
import { CanvasRenderer } from 'echarts/renderers';

use([BarChart, CustomChart, HeatmapChart, LineChart, ScatterChart, GridComponent, LegendComponent,
  MarkAreaComponent, MarkLineComponent, TooltipComponent, VisualMapComponent, CanvasRenderer]);

export { getInstanceByDom, init } from 'echarts/core';
