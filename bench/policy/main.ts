/**
 * Measures the CPU time of a policy's decision beside the smallest effect that it decides, a GET by the broker to a
 * host on this machine: `node bench/policy/main.ts`. Rounds alternate. Fails if a decision takes more than a fiftieth of the effect, or
 * if a decision by the default policy reads the table.
 */
import type { Effect } from '#shared/permits/policy/effect.ts'
import { permit } from '#shared/permits/policy/permit.ts'
import { defaultPolicy, type Policy, type Rule } from '#shared/permits/policy/policy.ts'
import { startKeys } from '#tests/support/accounts/keys.ts'
import { startTlsServer } from '#tests/support/http/tls-server.ts'
import { recording } from '#tests/support/platform/recorded-table.ts'
import { agentWithKey, brokerOver, trust } from '#tests/support/tools/broker.ts'
import { median } from '../budgets/measure.ts'

const quick = process.argv.includes('--quick')
const rounds = quick ? 40 : 400
const perRound = 200
/** The maximum time of a decision, relative to the effect, and in microseconds. */
const allowed = 1 / 50
const wantedUs = 20

const effect: Effect = {
  action: 'broker.request',
  target: {
    name: 'crm',
    method: 'POST',
    host: 'api.example.com',
    path: '/v1/orders/17/lines%20new',
  },
}

const rule = (i: number): Rule => ({
  action: 'broker.request',
  match: { host: '*.example.com', method: ['PUT', 'POST'], path: `/v1/*/${i}/*lines*/${i}` },
  then: i % 2 === 0 ? 'deny' : 'allow',
})
const rules = (count: number) => Array.from({ length: count }, (_, i) => rule(i))

const policies: Record<string, Policy> = {
  'default policy': defaultPolicy,
  '10 rules': { preset: 'guarded', rules: rules(10) },
  '100 rules of the action': { preset: 'guarded', rules: rules(100) },
}

const keys = await startKeys()
const server = await startTlsServer((_, response) => response.end('here'))
const host = `localhost:${server.port}`
try {
  trust(server.cert)
  const user = await keys.signUp('bench@b.co')
  const agent = await agentWithKey(keys.table, user.id)
  const { table, calls } = recording(keys.table)
  const broker = brokerOver(table, { allowed: [host] })
  await broker.keep(user.session, agent.agentId, { hosts: [host], value: 'a-value' })
  const write = process.stdout.write.bind(process.stdout)
  const effects: number[] = []
  const spent: Record<string, number> = {}
  for (let i = -10; i < rounds; i++) {
    // The log lines of requests are not part of the report.
    process.stdout.write = () => true
    calls.length = 0
    const us = await timed(async () => (await broker.ask(agent.key, `/api/${host}/`)).text())
    process.stdout.write = write
    if (calls.includes('get')) throw new Error('the default policy reads the table')
    if (i >= 0) effects.push(us)
    for (const [name, policy] of Object.entries(policies)) {
      const from = process.threadCpuUsage()
      for (let n = 0; n < perRound; n++) permit(policy, effect, { now: i })
      const { user, system } = process.threadCpuUsage(from)
      // The kernel counts in steps that are longer than a round.
      if (i >= 0) spent[name] = (spent[name] ?? 0) + user + system
    }
  }
  const whole = median(effects)
  print('GET by the broker, p50', whole, '')
  for (const name of Object.keys(policies)) {
    const us = (spent[name] ?? 0) / rounds / perRound
    const isFast = us <= whole * allowed
    print(
      `${name}, CPU, mean`,
      us,
      `${((100 * us) / whole).toFixed(2)} % of the GET${us <= wantedUs ? '' : ', above 20 µs'}`,
    )
    if (!isFast) process.exitCode = 1
  }
} finally {
  await server.close()
  await keys.close()
}

async function timed(run: () => unknown): Promise<number> {
  const from = performance.now()
  await run()
  return (performance.now() - from) * 1000
}

function print(name: string, us: number, more: string): void {
  process.stdout.write(`${name.padEnd(36)}${us.toFixed(2).padStart(10)} µs  ${more}\n`)
}
