import { afterAll, beforeAll, expect, it } from 'vitest'
import { type CommandLine, commandLine } from '../support/programs/command-line.ts'
import { keyOf, newSubscriber, stack } from '../support/stack/platform.ts'

let agents: CommandLine
beforeAll(async () => {
  const key = await keyOf(await newSubscriber('solo'), ['read', 'write'])
  agents = await commandLine({ PLATFORM_URL: stack().web, PLATFORM_API_KEY: key })
  await agents.json('create', 'Melody')
})
afterAll(() => agents[Symbol.asyncDispose]())

it('a policy is shown in words, changed by a preset or as a whole, and tested', async () => {
  expect((await agents.run(['policy', 'show', 'Melody'])).stdout).toBe(
    'Allow everything; payments stay within the mandate.\n',
  )
  expect(await agents.run(['policy', 'set', 'Melody', '--preset', 'guarded'])).toMatchObject({
    code: 0,
    stdout: 'guarded, 0 rules\n',
  })
  const policy = {
    preset: 'guarded',
    rules: [
      {
        action: 'message.send',
        match: { to: 'agt_*', action: ['ASK', 'TELL'] },
        when: { perDay: 3, hours: { from: '22:00', to: '06:00', timezone: 'Europe/Berlin' } },
        then: 'deny',
      },
    ],
  }
  const set = ['policy', 'set', 'Melody', '--input', '-']
  const refused = await agents.run(set, JSON.stringify(policy))
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining('rules.0.when.perDay'),
  ])
  const [rule] = policy.rules
  const whole = { ...policy, rules: [{ ...rule, then: 'allow' }] }
  expect(await agents.run(set, JSON.stringify(whole))).toMatchObject({ code: 0 })
  expect(await agents.json('policy', 'show', 'Melody')).toEqual(whole)
  expect((await agents.run(['policy', 'show', 'Melody'])).stdout).toBe(
    '1. Allow messages to other agents if the recipient is "agt_*" and the action is "ASK" or "TELL", ' +
      'at most 3 per UTC day, from 22:00 to 06:00 Europe/Berlin.\n' +
      'Ask before everything else that writes, sends or pays. Allow everything else that only reads.\n',
  )
  const test = ['policy', 'test', 'Melody', '--days', '7', '--preset', 'locked']
  expect(await agents.json(...test)).toMatchObject({ days: 7, records: [] })
  expect((await agents.run(test)).stderr).toContain('0 allowed, 0 asked, 0 denied')
  expect(await agents.json('policy', 'show', 'Melody')).toEqual(whole)
  // The key has no scope money, and the preset decides payments.
  expect(await agents.run(['policy', 'set', 'Melody', '--preset', 'open'])).toMatchObject({
    code: 5,
  })
  expect(await agents.run(['policy', 'set', 'Melody'])).toMatchObject({ code: 2 })
})
