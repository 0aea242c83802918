import { readFile, writeFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { eventually } from '../support/clock/eventually.ts'
import { commandLine } from '../support/programs/command-line.ts'
import { newUser, platformOf, stack } from '../support/stack/platform.ts'

it('concurrent commands refresh an expiring token once', async () => {
  const user = await newUser()
  const { email } = user
  await using agents = await commandLine()
  const { printed, ended } = agents.start(['login', '--url', stack().web, '--json'])
  await eventually(() => expect(printed.stdout).toContain('\n'))
  const { userCode } = JSON.parse(printed.stdout) as { userCode: string }
  await platformOf(user).oauth.decideDevice({ userCode, approve: true })
  expect(await ended).toMatchObject({ code: 0 })

  const stored = await readFile(agents.configFile, 'utf8')
  const past = new Date(Date.now() - 1000).toISOString()
  await writeFile(agents.configFile, stored.replace(/("expiresAt": ")[^"]+/, `$1${past}`))
  const answers = await Promise.all([1, 2, 3, 4].map(() => agents.json('whoami')))
  expect(answers).toMatchObject(answers.map(() => ({ email })))
  // Reuse of a refresh token would have revoked all tokens.
  expect(await agents.json('whoami')).toMatchObject({ email })
  const now = await readFile(agents.configFile, 'utf8')
  const tokenOf = (text: string) => /at_\w+/.exec(text)?.[0]
  expect(tokenOf(now)).not.toBe(tokenOf(stored))
})
