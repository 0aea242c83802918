/**
 * Measures what files cost the start of an agent, with the agent's program in a process of its own and the platform's
 * routes and object store in this one. In turn, a start without files, starts that restore files on a fresh disk (as on
 * AWS) or find them on the kept disk (as on one machine), and the floor of a restore: the same bytes copied by plain
 * HTTP from the same store to a disk. Then syncs after one changed file of 10,000. Prints medians, and ratios to the
 * start without files and to the floors of the same round. `ROUNDS` sets the number of rounds (default 5). Fails above a
 * limit: a start with 1 GB on the kept disk, or a restore of 10,000 files of 10 KB.
 */
import { rm, writeFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { buildProgram, gateway } from '#stacks/build/programs.ts'
import { median } from '../budgets/measure.ts'
import { fill, newContent, newDisk, onFreshDisk, pathOf, startFloor } from './disks.ts'
import { startPlatform, type StoredAgent } from './platform.ts'
import { type Running, startProgram } from './program.ts'

const rounds = Number(process.env.ROUNDS ?? 5)
const sets = [
  { name: '100 MB', files: 100, bytes: 1024 ** 2 },
  { name: '1 GB', files: 1024, bytes: 1024 ** 2 },
  { name: '10,000 files of 10 KB', files: 10_000, bytes: 10 * 1024 },
] as const
type Name = (typeof sets)[number]['name']
const largest = '1 GB' satisfies Name
const many = '10,000 files of 10 KB' satisfies Name

/** The limits: a start with 1 GB in starts without files, and a restore of 10,000 files in milliseconds. */
const mostStarts = 1.5
const mostRestoreMs = 20_000

// The log of the platform in this process is not part of the output.
// oxlint-disable-next-line no-console
console.log = () => {}

const program = await buildProgram(join(import.meta.dirname, '../..'), gateway)
const platform = await startPlatform()
const floor = startFloor()
const plain = await platform.newAgent()
const stored = new Map<Name, { agent: StoredAgent; kept: string }>()

interface Sample {
  ms: number
  cpuMs: number
}
const samples = new Map<string, Sample[]>()
function note(name: string, sample: Sample): void {
  process.stderr.write(`${name}: ${seconds(sample.ms)} s\n`)
  samples.set(name, [...(samples.get(name) ?? []), sample])
}

const seconds = (ms: number) => (ms / 1000).toFixed(2)

async function measured(name: string, agent: StoredAgent, disk: string, files = true) {
  const { AGENT_FILES: on = '', ...environment } = await agent.nextStart(disk)
  const running = await startProgram(program, {
    ...environment,
    ...(files && { AGENT_FILES: on }),
  })
  note(name, { ms: running.readyMs, cpuMs: running.cpuMs })
  await running.kill()
}

/** Writes the files of a set and stores them, as the agent's first container does. */
async function store({ name, files, bytes }: (typeof sets)[number]): Promise<void> {
  const [agent, kept] = [await platform.newAgent(), await newDisk()]
  stored.set(name, { agent, kept })
  await fill(kept, files, bytes)
  const running = await startProgram(program, await agent.nextStart(kept))
  await running.sync()
  await running.kill()
}

const without = 'without files'
const [fresh, kept, bytesAlone] = ['on a fresh disk', 'on the kept disk', 'copied by plain HTTP']

async function round(): Promise<void> {
  await onFreshDisk((disk) => measured(without, plain, disk, false))
  await onFreshDisk((disk) => measured('no files yet', plain, disk))
  for (const [name, set] of stored) {
    await onFreshDisk((disk) => measured(`${name} ${fresh}`, set.agent, disk))
    await measured(`${name} ${kept}`, set.agent, set.kept)
    const ms = await floor.copy(await set.agent.links())
    note(`${name} ${bytesAlone}`, { ms, cpuMs: Number.NaN })
  }
}

async function changeAndSync(running: Running, disk: string, n: number): Promise<void> {
  const timed = async (name: string, path?: string) => {
    await writeFile(join(disk, pathOf(n)), newContent(10 * 1024))
    const startedAt = performance.now()
    await running.sync(path)
    note(name, { ms: performance.now() - startedAt, cpuMs: Number.NaN })
  }
  note('all looked at', { ms: await floor.stat(join(disk, 'workspace')), cpuMs: Number.NaN })
  await timed('all scanned')
  await timed('its path scanned', pathOf(n))
}

const ofRounds = (name: string, base: string) => {
  const floors = samples.get(base) ?? []
  return median((samples.get(name) ?? []).map(({ ms }, i) => ms / (floors[i]?.ms ?? Number.NaN)))
}
/** Returns the median of a restore without the start, as a multiple of the time to copy the same bytes. */
const inCopies = (name: Name) => {
  const [idle = [], copies = []] = [
    samples.get('no files yet'),
    samples.get(`${name} ${bytesAlone}`),
  ]
  return median(
    (samples.get(`${name} ${fresh}`) ?? []).map(
      ({ ms }, i) => (ms - (idle[i]?.ms ?? Number.NaN)) / (copies[i]?.ms ?? Number.NaN),
    ),
  )
}
const medianMs = (name: string) => median((samples.get(name) ?? []).map(({ ms }) => ms))
function line(name: string, ...cells: string[]): void {
  const all = samples.get(name) ?? []
  const times = all.map(({ ms }) => ms)
  const [least, most] = [Math.min(...times), Math.max(...times)].map(seconds)
  const own = [`${seconds(median(times))} s`, `(${least} to ${most})`, ...cells]
  process.stdout.write(`${name.padEnd(44)}${own.map((cell) => cell.padStart(18)).join('')}\n`)
}

try {
  const loadBefore = loadavg()[0] ?? 0
  for (const set of sets) await store(set)
  for (let n = 0; n < rounds; n++) await round()
  const set = stored.get(many)
  if (set === undefined) throw new Error(`${many} is not stored`)
  const running = await startProgram(program, await set.agent.nextStart(set.kept))
  await running.sync()
  for (let n = 0; n < rounds; n++) await changeAndSync(running, set.kept, n)
  await running.kill()

  const load = [loadBefore, loadavg()[0] ?? 0].map((one) => one.toFixed(1)).join(' to ')
  process.stdout.write(`${rounds} rounds, load ${load}: median, least to most\n\nA start\n`)
  for (const name of [
    without,
    'no files yet',
    ...sets.flatMap((one) => [`${one.name} ${kept}`, `${one.name} ${fresh}`]),
  ]) {
    const cpu = median((samples.get(name) ?? []).map(({ cpuMs }) => cpuMs))
    line(name, `${seconds(cpu)} s of CPU`, `× ${ofRounds(name, without).toFixed(2)}`)
  }
  process.stdout.write('\nThe same bytes; a restore takes this many times as long\n')
  for (const { name } of sets) line(`${name} ${bytesAlone}`, `× ${inCopies(name).toFixed(2)}`)
  process.stdout.write('\nA sync after one changed file of 10,000\n')
  line('all looked at')
  for (const name of ['all scanned', 'its path scanned'])
    line(name, `× ${ofRounds(name, 'all looked at').toFixed(2)}`)

  const starts = ofRounds(`${largest} ${kept}`, without)
  const restoreMs = medianMs(`${many} ${fresh}`)
  const verdict = (isMet: boolean) => (isMet ? 'met' : 'NOT met')
  process.stdout.write(
    [
      '',
      `a start with 1 GB on the kept disk, at most ${mostStarts} starts without files: ${verdict(starts <= mostStarts)}`,
      `a start that restores ${many}, at most ${mostRestoreMs / 1000} s: ${verdict(restoreMs <= mostRestoreMs)}`,
      '',
    ].join('\n'),
  )
  process.exitCode = starts <= mostStarts && restoreMs <= mostRestoreMs ? 0 : 1
} finally {
  await floor.stop()
  await platform.close()
  for (const set of stored.values()) await rm(set.kept, { recursive: true, force: true })
}
