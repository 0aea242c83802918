import { describe, expect, it } from 'vitest'
import { eventually } from '../support/clock/eventually.ts'
import { program } from '../support/programs/command-line.ts'
import { hasTerminals, terminal } from '../support/programs/terminal.ts'
import {
  keyOf,
  newSubscriber,
  newUser,
  platformOf,
  runningAgent,
  stack,
  subscribe,
} from '../support/stack/platform.ts'

const agents = (...words: string[]) => [process.execPath, program, ...words]

describe.runIf(hasTerminals)('at a terminal', () => {
  it('init goes from the sign-in over plan and name to the first words', async () => {
    const user = await newUser()
    await using at = await terminal(agents('init'), { PLATFORM_URL: stack().web })
    const shows = (words: RegExp) =>
      eventually(async () => expect(await at.screen()).toMatch(words))

    await shows(/Open http\S+\/device\?user_code=\S+\nand compare the code: \S+/)
    const [, userCode = ''] = /compare the code: (\S+)/.exec(await at.screen()) ?? []
    const body = { userCode, approve: true }
    expect(await platformOf(user).oauth.decideDevice(body)).toEqual({ approved: true })
    await shows(new RegExp(`Signed in at ${stack().web} as ${user.email}`))

    await shows(/You need a plan first\. Choose one at http\S+\/welcome/)
    await subscribe(user.id, 'solo')
    await shows(/Name of your agent\? $/m)
    await at.type('Melody')
    await at.press('Enter')
    await shows(/Melody is starting/)
    await shows(
      /You said: Hello, who are you\?[^]*Continue with: agents chat agt_\w+\n\nended with 0/,
    )
  })

  it('a sign-in ends by Ctrl-C', async () => {
    await using at = await terminal(agents('login'), { PLATFORM_URL: stack().web })
    const shows = (words: RegExp) =>
      eventually(async () => expect(await at.screen()).toMatch(words))
    await shows(/compare the code/)
    await at.press('C-c')
    await shows(/ended with 130/)
  })

  it('a deletion asks for confirmation, and a conversation continues line by line', async () => {
    const user = await newSubscriber('solo')
    const id = await runningAgent(user)
    const platform = platformOf(user)
    const environment = { PLATFORM_URL: stack().web, PLATFORM_API_KEY: await keyOf(user) }

    await using talk = await terminal(agents('chat', id), environment)
    for (const words of ['Good morning', 'Good night']) {
      await eventually(async () => expect(await talk.screen()).toMatch(/^> $/m))
      await talk.type(words)
      await talk.press('Enter')
      await eventually(async () => expect(await talk.screen()).toContain(`You said: ${words}`))
    }
    await talk.press('C-c')
    await eventually(async () => expect(await talk.screen()).toContain('ended with 130'))

    await using rm = await terminal(agents('rm', id), environment)
    await eventually(async () => expect(await rm.screen()).toContain(`Deleting ${id}? [y/N]`))
    await rm.press('Enter')
    await eventually(async () => expect(await rm.screen()).toMatch(/ended with 1$/m))
    expect(await rm.screen()).toContain('Nothing was changed')
    await using left = await terminal(agents('rm', id), environment)
    await eventually(async () => expect(await left.screen()).toContain('[y/N]'))
    await left.press('C-c')
    await eventually(async () => expect(await left.screen()).toContain('ended with 130'))
    expect(await platform.agents.get(id)).toMatchObject({ status: 'running' })
  })
})
