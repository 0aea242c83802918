import { spawnSync } from 'node:child_process'
import { rm, mkdtemp, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const release = 'better-auth@1.6.0'

/** The part of better-auth that is measured. */
interface BetterAuth {
  api: {
    signUpEmail(input: {
      body: { email: string; password: string; name: string }
      returnHeaders: true
    }): Promise<{ headers: Headers }>
    getSession(input: { headers: Headers }): Promise<{ user: { email: string } } | null>
  }
}

export interface Installed {
  name: string
  /** Checks a session as an application does. */
  checkSession(): Promise<void>
  remove(): Promise<void>
}

/**
 * Installs better-auth into a temporary folder, because nothing else needs it, and signs in a user with its memory adapter.
 * @returns the reason if it cannot be installed here
 */
export async function installBetterAuth(): Promise<Installed | string> {
  const dir = await mkdtemp(join(tmpdir(), 'bench-auth-'))
  const remove = () => rm(dir, { recursive: true, force: true })
  await writeFile(join(dir, 'package.json'), '{"private":true}')
  const { status, stderr } = spawnSync(
    'npm',
    ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', release],
    { cwd: dir, encoding: 'utf8', timeout: 180_000 },
  )
  if (status !== 0) {
    await remove()
    return `${release} cannot be installed here: ${stderr?.trim().split('\n')[0] ?? 'no npm'}`
  }
  return { name: release, checkSession: await signedIn(dir), remove }
}

async function signedIn(dir: string): Promise<() => Promise<void>> {
  const { resolve } = createRequire(join(dir, 'package.json'))
  const load = async (name: string) => import(pathToFileURL(resolve(name)).href)
  const { betterAuth } = await load('better-auth')
  const { memoryAdapter } = await load('better-auth/adapters/memory')
  const auth: BetterAuth = betterAuth({
    database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
    secret: 'a-secret-of-the-bench-and-nothing-else',
    baseURL: 'http://localhost:3000',
    emailAndPassword: { enabled: true },
    telemetry: { enabled: false },
  })
  const email = 'ada@example.com'
  const { headers } = await auth.api.signUpEmail({
    body: { email, password: 'correct horse', name: 'Ada' },
    returnHeaders: true,
  })
  const cookie = headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ')
  const request = new Headers({ cookie })
  return async () => {
    const session = await auth.api.getSession({ headers: request })
    if (session?.user.email !== email) throw new Error('better-auth does not know its session')
  }
}
