import { median } from '../budgets/measure.ts'
import { canPin } from './child.ts'
import type { TableRequests } from './requests.ts'
import { concurrency, type Results, type Round } from './rounds.ts'
import type { Running } from './targets.ts'

interface Figure {
  name: string
  value: string
  limit: string
  met: boolean
}

/** Returns the median of a result over the rounds. */
function over(rounds: readonly Round[], pick: (of: (name: string) => Results) => number): number {
  return median(
    rounds.map((round) =>
      pick((name) => {
        const results = round.get(name)
        if (results === undefined) throw new Error(`${name} was not measured`)
        return results
      }),
    ),
  )
}

const ms = (value: number) => `${value.toFixed(2)} ms`

export function report(
  { direct, ours, service, bare, floor, embedded, peer }: Running,
  rounds: readonly Round[],
  requests: { memory: TableRequests; embedded: readonly TableRequests[] },
): { text: string; faults: number } {
  const compared = 'missing' in peer ? undefined : peer.name
  const names = [direct, floor, ours, bare, service].map(({ name }) => name)
  names.push(...(compared ? [compared] : []), embedded.name)
  const rows = names.map((name) => row(rounds, name))
  const figures = [
    ...figuresOf(rounds, { who: ours.name, floor: floor.name, peer: compared }),
    ...figuresOf(rounds, { who: service.name, floor: bare.name, peer: compared }),
  ]
  const faults = faultsOf(rounds, [ours.name, service.name, embedded.name], requests.memory)
  const lines = [
    ...('missing' in peer ? [`no peer: ${peer.missing}`] : []),
    ...(canPin ? [] : ['taskset is not here: processes are not pinned to cores']),
    header,
    ...rows,
    '',
    ...figures.map(
      ({ name, value, limit, met }) =>
        `${name.padEnd(64)}${value.padStart(12)}   limit ${limit}${met ? '' : '  MISSED'}`,
    ),
    '',
    ...made(requests.embedded),
    ...faults.map((fault) => `FAULT: ${fault}`),
  ]
  return { text: `${lines.join('\n')}\n`, faults: faults.length }
}

const columns = [
  'req/s',
  'cpu us',
  'p50',
  'p99',
  'p50 of 1',
  'p50 slow',
  'first byte',
  'chunk',
  'events',
]
const header = `${'milliseconds'.padEnd(26)}${columns.map((each) => each.padStart(11)).join('')}`

function row(rounds: readonly Round[], name: string): string {
  const of = (pick: (results: Results) => number) => over(rounds, (get) => pick(get(name)))
  const streams = of(({ stream }) => stream.events / stream.answers)
  const cells = [
    of(({ many }) => many.perSecond).toFixed(0),
    of(({ many }) => many.cpuMicroseconds).toFixed(0),
    of(({ many }) => many.p50).toFixed(2),
    of(({ many }) => many.p99).toFixed(2),
    of(({ one }) => one.p50).toFixed(3),
    of(({ slow }) => slow.p50).toFixed(2),
    ...(streams > 0
      ? [
          of(({ stream }) => stream.firstByteP50).toFixed(3),
          of(({ stream }) => stream.chunkP50).toFixed(3),
          streams.toFixed(1),
        ]
      : ['refused', '', '']),
  ]
  return `${name.padEnd(26)}${cells.map((cell) => cell.padStart(11)).join('')}`
}

function figuresOf(
  rounds: readonly Round[],
  { who, floor, peer }: { who: string; floor: string; peer: string | undefined },
): Figure[] {
  const added = (name: string, of: (results: Results) => number) =>
    over(rounds, (get) => of(get(name)) - of(get('direct')))
  const figures: Figure[] = []
  /** @param valueOf returns the value of a target: ours, and the floor's, which is printed next to the limit */
  const limit = (name: string, valueOf: (name: string) => number, most: number, text = ms) => {
    const value = valueOf(who)
    figures.push({
      name: `${who}: ${name}`,
      value: text(value),
      limit: `<= ${text(most)}; ${floor} has ${text(valueOf(floor))}`,
      met: value <= most,
    })
  }
  const ratio = (value: number) => value.toFixed(2)
  const one = ({ one: { p50 } }: Results) => p50
  const slow = ({ slow: { p50 } }: Results) => p50
  if (peer !== undefined) {
    const times = over(rounds, (get) => get(who).many.perSecond / get(peer).many.perSecond)
    const most = over(rounds, (get) => get(floor).many.perSecond / get(peer).many.perSecond)
    figures.push({
      name: `${who}: requests a second at ${concurrency}, in times of the peer's`,
      value: times.toFixed(2),
      limit: `>= 4; ${floor} has ${most.toFixed(2)}`,
      met: times >= 4,
    })
    const share = (of: (results: Results) => number) => (name: string) =>
      added(name, of) / added(peer, of)
    limit('added p50 at 1, as a share of the peer’s', share(one), 1 / 3, ratio)
    limit(`added p50 at ${concurrency}, provider 50 ms, share of peer’s`, share(slow), 1 / 3, ratio)
  }
  limit(`added p50 at ${concurrency}, provider 50 ms`, (name) => added(name, slow), 1.2)
  limit(
    'added time to a stream’s first byte, p50 at 1',
    (name) => added(name, ({ stream }) => stream.firstByteP50),
    0.5,
  )
  return figures
}

function faultsOf(
  rounds: readonly Round[],
  names: readonly string[],
  { before, after }: TableRequests,
): string[] {
  const faults: string[] = []
  for (const round of rounds)
    for (const name of names)
      for (const [load, { refused, merged }] of Object.entries(round.get(name) ?? {})) {
        const other = JSON.stringify(refused)
        if (other !== '{}') faults.push(`${name}, ${load}: answers by status ${other}`)
        if (merged > 0) faults.push(`${name}, ${load}: ${merged} chunks merged`)
      }
  const counts = `${before.length} before the provider's answer and ${after.length} after it`
  if (before.length > 2 || after.length > 1) faults.push(`database requests: ${counts}`)
  return faults
}

/** Returns the overhead of the embedded database, request by request. */
function made(requests: readonly TableRequests[]): string[] {
  const part = (name: 'before' | 'after') =>
    (requests[0]?.[name] ?? []).map((first, i) => {
      const times = requests.map((each) => each[name][i]?.ms ?? Number.NaN)
      return `${first.name} ${ms(median(times))}`
    })
  return [
    `database requests before the provider’s answer: ${part('before').length}, of the embedded database: ${part('before').join(', ')}`,
    `database requests after it: ${part('after').length}, which no answer waits for: ${part('after').join(', ')}`,
  ]
}
