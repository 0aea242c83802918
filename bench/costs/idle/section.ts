import type { TickUnits } from '../meter/ticks.ts'
import { money, rows } from '../text.ts'
import { idleMonth, type Part } from './month.ts'
import { hourlySettings, readResources } from './resources.ts'

/** Returns the section of docs/operate/costs.md on an idle stage. @param ticks the units of each schedule's idle tick */
export function idle(ticks: Record<string, TickUnits>): string {
  const { small, hourly, throwaway } = readResources()
  const months = [throwaway, small, hourly].map((resources) => idleMonth(resources, ticks))
  const body = Object.keys(months[0] ?? {}).map((name) =>
    [name].concat(months.flatMap((parts) => cells(parts[name]))),
  )
  const sums = months.flatMap((parts) => ['', `**${money(sumOf(parts))}**`])
  return `## An idle stage

The table compares three stages for a month without requests and without awake agents. The throwaway stage uses the network of a permanent
stage (\`NETWORK_VPC_ID\`) and has neither alarms nor releases. The small stage is permanent and has only the resources that every such stage has. The last one also has everything that AWS bills by the hour: the agents' router, NAT gateways (\`AGENTS_NAT\`) and the AI gateway as a service
(\`SERVICES=${hourlySettings.SERVICES}\`). The numbers come from the resources that the deployment declares (\`bench/costs/idle/resources.json\`); \`npm run infra\` fails
if they change.

${rows(['what', 'throwaway: how many', 'a month', 'small: how many', 'a month', 'by the hour: how many', 'a month'], [...body, ['**sum**', ...sums]])}

AWS bills the table, files, logs, functions, APIs, the edge, topics and secrets by use, which is almost zero here. Each of the first two yearly
rotations of the key adds the key's price again. A waiting container (\`WARM_CONTAINERS\`) costs as much as an awake agent.`
}

function cells(part: Part | undefined): string[] {
  return part === undefined || part.of === 0 ? ['', ''] : [String(part.of), money(part.usd)]
}

function sumOf(parts: Record<string, Part>): number {
  return Object.values(parts).reduce((sum, { usd }) => sum + usd, 0)
}
