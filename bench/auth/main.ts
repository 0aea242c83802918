import { userKeyIdentity } from '#shared/accounts/keys/identity.ts'
/**
 * Measures authentication: the session check against better-auth's, the API key check, and a sign-in against its password
 * hash. One process, subjects in turn, medians. Fails if a figure is over its budget.
 */
import { sessionIdentity } from '#shared/accounts/users/identity.ts'
import { sessionCookie, sessionCookies } from '#shared/http/guards/session-cookie.ts'
import { installBetterAuth } from './better-auth.ts'
import { type Measured, measureCpu, type Subject } from './cpu.ts'
import { startMemory } from './memory.ts'
import { measureSignIn } from './sign-in.ts'

const budgets = {
  /** Relative to better-auth's getSession with its memory adapter. */
  sessionRatio: 0.1,
  keyMicros: 20,
  /** Relative to the hash, so that a slow machine does not count as slow code: 5 ms for a hash of 200 ms. */
  signInRatio: 0.025,
}

const memory = await startMemory()
const checkCookie = sessionIdentity(memory.table, [])
const checkKey = userKeyIdentity(memory.table, [])
const request = new Request('http://localhost:3000/api/settings', {
  headers: { cookie: `theme=dark; ${sessionCookie}=${memory.cookie}` },
})

const session: Subject = {
  name: 'session check',
  async run() {
    const [cookie = ''] = sessionCookies(request)
    const user = await checkCookie(cookie)
    if (user === undefined) throw new Error('the session is not known')
  },
}
const key: Subject = {
  name: 'API key check',
  async run() {
    const user = await checkKey(memory.secret)
    if (user === undefined) throw new Error('the key is not known')
  },
}

for (const subject of [session, key]) {
  const before = memory.reads()
  await subject.run()
  if (memory.reads() !== before + 1) throw new Error(`${subject.name}: not exactly one read`)
}

const other = await installBetterAuth()
const rival: Subject[] =
  typeof other === 'string' ? [] : [{ name: `${other.name} getSession`, run: other.checkSession }]
const measured = await measureCpu([session, key, ...rival])
if (typeof other !== 'string') await other.remove()
const signIn = await measureSignIn()

const over = report(measured)
process.exitCode = over ? 1 : 0

function report([ours, keys, theirs]: Measured[]): boolean {
  const ratio = (ours?.micros ?? Number.NaN) / (theirs?.micros ?? Number.NaN)
  const rows: [string, string, string, boolean][] = [
    line('session check, CPU µs', ours?.micros, undefined),
    line('API key check, CPU µs', keys?.micros, budgets.keyMicros),
    line('sign-in beside its hash, CPU ms', signIn.beside, undefined),
    line('sign-in beside its hash, by the clock, ms', signIn.besideByClock, undefined),
    line('the hash itself, CPU ms', signIn.hash, undefined),
    line(
      'sign-in beside its hash as a ratio to it',
      signIn.beside / signIn.hash,
      budgets.signInRatio,
    ),
  ]
  if (theirs !== undefined)
    rows.splice(
      1,
      0,
      line(`${theirs.name}, CPU µs`, theirs.micros, undefined),
      line('session check as a ratio to it', ratio, budgets.sessionRatio),
    )
  const text = rows.map(([name, value, budget, tooMuch]) =>
    [name.padEnd(44), value.padStart(10), budget.padStart(10), tooMuch ? '  OVER' : ''].join(''),
  )
  if (typeof other === 'string') text.push(`SKIPPED the ratio to better-auth: ${other}`)
  process.stdout.write(`${''.padEnd(44)}${'median'.padStart(10)}${'budget'.padStart(10)}\n`)
  process.stdout.write(`${text.join('\n')}\n`)
  return rows.some(([, , , tooMuch]) => tooMuch)
}

function line(
  name: string,
  value = Number.NaN,
  budget?: number,
): [string, string, string, boolean] {
  return [
    name,
    value.toFixed(3),
    budget === undefined ? '' : `≤ ${budget}`,
    budget !== undefined && !(value <= budget),
  ]
}
