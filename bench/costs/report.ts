import { defaultSleepAfterMinutes } from '#shared/agents/record/config/sleep.ts'
import { functions } from '#shared/manifest/index.ts'
import { addressRanges } from '#shared/manifest/network.ts'
import { planNames, plans } from '#shared/money/plans/plans.ts'
import {
  alwaysOn,
  awakeShare,
  margins,
  mostlyAsleep,
  natBreakEven,
  onSpareCapacity,
  watching,
  type WatchUnits,
  ways,
} from './agents.ts'
import { assumed } from './assumed.ts'
import {
  breakEven,
  chatTurns,
  hourlyModelCalls,
  modelCalls,
  type Parts,
  sessionReads,
  sumOf,
} from './calls.ts'
import { filesSection } from './files.ts'
import { idle } from './idle/section.ts'
import { tickedAgents } from './meter/hot.ts'
import type { Units } from './meter/platform.ts'
import { priceFile } from './prices.ts'
import { money, rows } from './text.ts'
import type { NotedUnits } from './units.ts'

/** The idle minutes before an agent sleeps, in the tables of the document. */
export const tailMinutes = defaultSleepAfterMinutes

const partRows = (parts: Parts) => [
  ...Object.entries(parts).map(([name, usd]) => [name, money(usd)]),
  ['**sum**', `**${money(sumOf(parts))}**`],
]

/** Returns the consumption of monitoring one agent, from the stored units. @throws Error if units.json lacks it */
export function watchUnits({ hot }: NotedUnits): WatchUnits {
  const tick = hotUnits(hot, `tick over ${tickedAgents} agents`)
  return {
    look: hotUnits(hot, 'look at a healthy agent'),
    find: { reads: tick.reads / tickedAgents, writes: tick.writes / tickedAgents },
  }
}

function hotUnits(hot: Record<string, Units>, name: string): Units {
  const units = hot[name]
  if (units === undefined) throw new Error(`units.json has no ${name}: npm run costs`)
  return units
}

/** Returns the whole text of docs/operate/costs.md. */
export function report(noted: NotedUnits): string {
  const { hot } = noted
  const watch = watchUnits(noted)
  return `${[head(), operations(noted), calls(hot), gateway(hot), agents(watch), filesSection(), marginTable(watch), addresses(), idle(noted.ticks), premises()].join('\n\n')}\n`
}

function head(): string {
  return `# Costs on AWS

\`npm run costs\` writes this page from the manifest, the units that operations consume (\`bench/costs/units.json\`) and AWS's prices
(\`bench/costs/prices.json\`: list prices of ${priceFile.region} as of ${priceFile.asOf}, each with its source, without free tier and savings plans).
It assumes $${priceFile.dollarsPerPound.toFixed(2)} for £1. Not included: models, emails, videos, payments, the custom metric of each used
route, and the storage and backups of the table and the logs. \`npm run costs -- --check\` measures again. It fails if an operation
consumes over 10 % more than stored, or if a plan can make a loss.`
}

function operations({ hot, routes }: NotedUnits): string {
  const dear = Object.entries(routes)
    .toSorted(([, a], [, b]) => b.reads + 5 * b.writes - (a.reads + 5 * a.writes))
    .slice(0, 8)
  const cells = ([name, { reads, writes }]: [string, Units]) => [name, reads, writes]
  return `## Units

The request units of the table and its index. They are measured by real calls to the platform on one machine, and include the jobs
and container events that a call causes. A write costs as much as five reads.

${rows(['operation', 'reads', 'writes'], Object.entries(hot).map(cells))}

\`bench/costs/units.json\` lists all ${Object.keys(routes).length} routes that end by themselves and start no container, each with the status of the
measured response. The most expensive ones:

${rows(['route', 'reads', 'writes'], dear.map(cells))}`
}

function calls(hot: Record<string, Units>): string {
  const call = hotUnits(hot, 'model call by an agent’s key')
  const turn = hotUnits(hot, 'chat turn')
  const read = hotUnits(hot, 'read by session')
  return `## Per million

**AI gateway calls**, streamed for ${assumed.modelCallSeconds} s, with an agent's key, on Lambda:

${rows(['part', 'a million'], partRows(modelCalls(call)))}

**Chat turns** of ${assumed.turnSeconds} s, each with one model call of its agent:

${rows(['part', 'a million'], partRows(chatTurns(turn)))}

**Session-checked reads** (\`GET /api/agents/:id\`):

${rows(['part', 'a million'], partRows(sessionReads(read)))}`
}

function gateway(hot: Record<string, Units>): string {
  const units = hotUnits(hot, 'model call by an agent’s key')
  const { tasks, vcpu, gb, streamsATask, fullness } = assumed.gateway
  const at = (millions: number) => [
    `${millions} M`,
    money(sumOf(modelCalls(units))),
    money(sumOf(hourlyModelCalls(units, millions))),
  ]
  return `## A gateway by the hour

At least ${tasks} tasks of ${vcpu} vCPU and ${gb} GB run behind their own load balancer. A task serves ${streamsATask} streams and is filled to
${fullness * 100} %. The number of tasks follows from the busiest hour, which has three times the mean load. The cost of a million calls:

${rows(['calls a month', 'Lambda', 'by the hour'], [0.1, 0.5, 1, 3, 10, 30].map(at))}

The hourly gateway costs less from **${breakEven(units).toFixed(2)} million calls a month** on.`
}

function agents(watch: WatchUnits): string {
  const body = planNames.map((name) => {
    const plan = plans[name]
    const { Fargate = 0, address = 0, watchdog = 0 } = alwaysOn(plan, watch)
    const spare = onSpareCapacity(plan)
    return [
      `${name} ${plan.container.cpu}/${plan.container.memoryGb}`,
      money(Fargate),
      spare === undefined ? '' : money(spare),
      money(address),
      money(watchdog),
      money(1000 * sumOf(alwaysOn(plan, watch))),
      money(1000 * mostlyAsleep(plan, watch, tailMinutes)),
      money(1000 * mostlyAsleep(plan, watch, 10)),
    ]
  })
  return `## Agents

The monthly cost of one agent that is always awake, and of 1,000 agents. An agent that sleeps is used ${assumed.sittingsADay} times a day for
${assumed.sittingMinutes} minutes, and falls asleep ${tailMinutes} minutes after each use, so it is awake ${(100 * awakeShare(tailMinutes)).toFixed(1)} % of the time. The containers of the
smaller plans run on AWS's spare capacity (Fargate Spot) while it is available. All sums use the full price.

${rows(['plan vCPU/GB', 'Fargate', 'on spare capacity', 'address', 'watchdog', '1,000 always awake', `1,000 that sleep after ${tailMinutes} min`, '1,000 that sleep after 10 min'], body)}

The watchdog costs ${money(10_000 * watching(watch))} a month for **10,000 running agents**, each checked every ${assumed.lookEverySeconds} s.`
}

function marginTable(watch: WatchUnits): string {
  const body = margins(watch, tailMinutes).map(({ plan, price, full, sold, usual }) => [
    plan.name,
    money(price),
    `${plan.agents} awake: ${money(full)}`,
    money(price - full),
    `${plan.awake} awake: ${money(sold)}`,
    money(price - sold),
    money(price - usual),
  ])
  return `## Margin by plan

The price and the monthly margin of each plan, if all its agents are always awake; if the maximum number of agents that may be awake at the
same time is always awake, changes a file every minute, and the storage is full; and if all agents are used occasionally.

${rows(['plan', 'price', 'all agents always awake', 'margin', 'maximum always awake, storage full', 'margin (worst case)', 'margin if used occasionally'], body)}

A channel that the platform holds (Telegram, Slack, WhatsApp, mail, webhooks) keeps no agent awake, so such agents are used occasionally: the last column.
Always awake are only agents with \`sleepAfterMinutes: null\`, and those whose containers run bots for Discord or WhatsApp.`
}

function addresses(): string {
  const zones = addressRanges.length
  const body = [20, 50, 100, 1000, 10_000].map((count) => {
    const { addresses: own, nat } = ways(count, zones)
    return [count.toLocaleString('en'), money(own), money(nat)]
  })
  return `## Addresses or NAT

An awake agent has its own public address. With NAT gateways (\`AGENTS_NAT\`), one in each of ${zones} zones, agents share a few addresses, and AWS
also charges for their traffic (here ${assumed.agentTrafficGb} GB a month per agent). The monthly cost:

${rows(['agents awake', 'addresses', 'NAT'], body)}

NAT costs less from **${natBreakEven(zones)} agents awake at a time** on. By default, each agent has its own address: chat services limit requests by
address, so one agent could use up the limit of the others.`
}

function premises(): string {
  const ai = functions.find(({ name }) => name === 'backend-ai')
  return `## Assumptions

${rows(
  ['what', 'figure'],
  [
    ['memory of the AI function', `${ai?.memoryMb} MB`],
    ['response of a model to the caller', `${assumed.modelAnswerKb} KB`],
    ['request to the provider', `${assumed.modelRequestKb} KB`],
    [
      'log of a call, of a turn, of a read',
      `${assumed.modelLogKb}, ${assumed.turnLogKb}, ${assumed.readLogKb} KB`,
    ],
    ['function time of a read', `${assumed.readSeconds * 1000} ms`],
    ['CPU time of a check', `${assumed.lookCpuMs} ms`],
    ['polls of an empty queue', `${assumed.pollsAMinute} a minute`],
    [
      'a tick without work',
      `${assumed.tick.seconds * 1000} ms of its function, ${assumed.tick.logKb} KB of log`,
    ],
    [
      'a sleep and a wake',
      `${assumed.wake.reads} reads, ${assumed.wake.writes} writes, ${assumed.wake.seconds} s of the caller's function`,
    ],
    [
      'a commit of files',
      `${assumed.fileCommit.reads} reads, ${assumed.fileCommit.writes} writes, ${assumed.fileCommit.requests} requests of ${assumed.fileCommit.seconds * 1000} ms, ${assumed.fileCommit.puts} pack`,
    ],
  ],
)}`
}
