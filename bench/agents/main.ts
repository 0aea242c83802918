/**
 * Creates fifty agents at the same time on one machine and waits until all run. Prints the durations, and the memory of
 * the stack and its agents. `--quick` creates ten.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { agentProcesses } from '#tests/support/stack/processes.ts'
import { median } from '../budgets/measure.ts'
import { launchStack, residentMb } from '../stack/launch.ts'
import { signUp } from '../stack/provision.ts'

const count = process.argv.includes('--quick') ? 10 : 50
const deadlineMs = 120_000
const json = { 'content-type': 'application/json' }

const stack = await launchStack()
const session = await signUp(stack)
const began = performance.now()
const requests = Array.from({ length: count }, async (_, n) => {
  const body = JSON.stringify({ name: `Bench ${n}` })
  const answer = await fetch(`${stack.web}/api/agents/provision`, {
    method: 'POST',
    headers: { ...json, ...session },
    body,
  })
  if (answer.status !== 201) throw new Error(`provisioning answered ${answer.status}`)
})
await Promise.all(requests)
const askedMs = performance.now() - began

const runningAfter = new Map<string, number>()
let statuses: string[] = []
while (runningAfter.size < count && performance.now() - began < deadlineMs) {
  const answer = await fetch(`${stack.web}/api/agents`, { headers: session })
  const { agents } = (await answer.json()) as { agents: { id: string; status: string }[] }
  statuses = agents.map(({ status }) => status)
  for (const { id, status } of agents)
    if (status === 'running' && !runningAfter.has(id))
      runningAfter.set(id, performance.now() - began)
  await wait(50)
}

const processes = agentProcesses(stack.dataDir)
const agentsMb = processes.reduce((sum, { pid }) => sum + residentMb(pid), 0)
const stackMb = residentMb(stack.process.pid ?? 0)
const stopMs = await stack.stop()
const left = agentProcesses(stack.dataDir).length
const times = [...runningAfter.values()].sort((a, b) => a - b)
const rows: [string, string][] = [
  ['asked for', `${count} agents within ${askedMs.toFixed(0)} ms`],
  ['running', `${times.length} of ${count}, ${processes.length} processes`],
  [
    'first, median, last',
    [times[0] ?? 0, median(times), times.at(-1) ?? 0]
      .map((ms) => `${(ms / 1000).toFixed(1)} s`)
      .join(', '),
  ],
  ['memory of the stack', `${stackMb.toFixed(0)} MB`],
  ['memory of an agent', `${(agentsMb / Math.max(1, processes.length)).toFixed(0)} MB`],
  ['SIGTERM to gone', `${(stopMs / 1000).toFixed(1)} s, ${left} processes left`],
]
for (const [name, value] of rows) process.stdout.write(`${name.padEnd(24)}${value}\n`)
const whole = times.length === count && processes.length === count && left === 0
if (!whole)
  process.stdout.write(`FAILED: ${statuses.filter((status) => status !== 'running').join(', ')}\n`)
process.exitCode = whole ? 0 : 1
