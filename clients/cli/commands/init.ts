import { setTimeout as wait } from 'node:timers/promises'
import type { Agent, Platform } from '../../typescript/index.ts'
import { openInBrowser } from '../browser.ts'
import type { Cli, CommonFlags } from '../cli.ts'
import { command } from '../command.ts'
import { ActionRequired, CommandError, exitCodes } from '../failure.ts'
import { signInFirst } from './account.ts'
import { say } from './talk.ts'

/** The interval between checks for a plan, in milliseconds. */
const planPollMs = 3000

export const init = command(
  { brief: 'Get started: sign in, choose a plan, create an agent and talk to it' },
  async (cli, flags) => {
    const platform = await signedIn(cli, flags)
    await planChosen(cli, flags, platform)
    const agents = await platform.agents.list({ signal: cli.signal })
    const { id, name } = agents[0] ?? (await create())
    cli.say(`${name} is starting`)
    await platform.agents.waitUntil(id, 'running', { signal: cli.signal })
    await say(cli, flags, { agentId: id, message: 'Hello, who are you?' })
    cli.say(`Continue with: agents chat ${id}`)

    async function create(): Promise<Pick<Agent, 'id' | 'name'>> {
      const answer = cli.isInteractive ? await cli.question('Name of your agent? ') : ''
      return platform.agents.create(
        { name: answer === '' ? 'Rhythm' : answer },
        { signal: cli.signal },
      )
    }
  },
)

/** Signs the user in first, if there is a terminal. */
async function signedIn(cli: Cli, flags: CommonFlags): Promise<Platform> {
  try {
    return await cli.platform(flags)
  } catch (error) {
    const isSignedOut = error instanceof CommandError && error.exitCode === exitCodes.notSignedIn
    if (!isSignedOut || !cli.isInteractive) throw error
    await signInFirst(cli, flags)
    return cli.platform(flags)
  }
}

/** Waits until the user has chosen a plan. @throws ActionRequired if there is no terminal */
async function planChosen(cli: Cli, flags: CommonFlags, platform: Platform): Promise<void> {
  const hasPlan = async () => (await platform.settings.get({ signal: cli.signal })).plan !== 'free'
  if (await hasPlan()) return
  const address = `${cli.urlOf(flags)}/welcome`
  if (!cli.isInteractive) throw new ActionRequired('You need a plan first', `open ${address}`)
  cli.say(`You need a plan first. Choose one at ${address}`)
  await openInBrowser(cli, address)
  while (!(await hasPlan())) await wait(planPollMs, undefined, { signal: cli.signal })
}
