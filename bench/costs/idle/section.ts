import type { TickUnits } from '../meter/ticks.ts'
import { money, rows } from '../text.ts'
import { idleMonth, type Part } from './month.ts'
import { hourlySettings, readResources } from './resources.ts'

/** Returns the section of docs/operate/costs.md on an idle stage. @param ticks the units of each schedule's idle tick */
export function idle(ticks: Record<string, TickUnits>): string {
  const { small, hourly } = readResources()
  const [least, most] = [idleMonth(small, ticks), idleMonth(hourly, ticks)]
  const body = Object.entries(most).map(([name, part]) =>
    [name].concat(cells(least[name]), cells(part)),
  )
  const sums = [least, most].flatMap((parts) => ['', `**${money(sumOf(parts))}**`])
  return `## An idle stage

A month of a stage that has nothing but what each has, and of one with all that is paid by the hour, at its least: the agents' router,
NAT gateways (\`AGENTS_NAT\`) and the AI gateway as a service (\`SERVICES=${hourlySettings.SERVICES}\`). Users ask neither of them anything, and no agent is awake. What they
have is counted in what the program that deploys declares (\`bench/costs/idle/resources.json\`); \`npm run infra\` fails where that has changed.

${rows(['what', 'small: how many', 'a month', 'by the hour: how many', 'a month'], [...body, ['**sum**', ...sums]])}

Table, files, logs, functions, APIs, the edge, topics and secrets are billed by what they hold and how they are used, which is next to nothing here.
The key costs as much again for each of its first two yearly rotations. A container that waits (\`WARM_CONTAINERS\`) costs what an agent does that is awake.`
}

function cells(part: Part | undefined): string[] {
  return part === undefined || part.of === 0 ? ['', ''] : [String(part.of), money(part.usd)]
}

function sumOf(parts: Record<string, Part>): number {
  return Object.values(parts).reduce((sum, { usd }) => sum + usd, 0)
}
