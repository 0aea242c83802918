import { setTimeout as wait } from 'node:timers/promises'
import type { Agent, Platform } from '../../typescript/index.ts'
import { openInBrowser } from '../browser.ts'
import type { Cli, CommonFlags } from '../cli.ts'
import { command } from '../command.ts'
import { ActionRequired, CommandError, exitCodes } from '../failure.ts'
import { signInFirst } from './account.ts'
import { say } from './talk.ts'

/** How often it is looked whether a plan was chosen, in milliseconds. */
const planPollMs = 3000

export const init = command(
  { brief: 'From nothing to first words with an agent: sign-in, plan, agent' },
  async (cli, flags) => {
    const platform = await signedIn(cli, flags)
    await planChosen(cli, flags, platform)
    const agents = await platform.agents.list({ signal: cli.signal })
    const { id, name } = agents[0] ?? (await create())
    cli.say(`${name} is starting`)
    await platform.agents.waitUntil(id, 'running', { signal: cli.signal })
    await say(cli, flags, { agentId: id, message: 'Hello, who are you?' })
    cli.say(`Go on by: agents chat ${id}`)

    async function create(): Promise<Pick<Agent, 'id' | 'name'>> {
      const given = cli.isInteractive ? await cli.question('What shall your agent be called? ') : ''
      return platform.agents.create(
        { name: given === '' ? 'Rhythm' : given },
        { signal: cli.signal },
      )
    }
  },
)

/** Signs in first where there is a person who can. */
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

/** Waits for a plan where a person can choose one. @throws ActionRequired where there is none */
async function planChosen(cli: Cli, flags: CommonFlags, platform: Platform): Promise<void> {
  const hasPlan = async () => (await platform.settings.get({ signal: cli.signal })).plan !== 'free'
  if (await hasPlan()) return
  const address = `${cli.urlOf(flags)}/welcome`
  if (!cli.isInteractive) throw new ActionRequired('A plan comes first', `open ${address}`)
  cli.say(`A plan comes first. Choose one at ${address}`)
  await openInBrowser(cli, address)
  while (!(await hasPlan())) await wait(planPollMs, undefined, { signal: cli.signal })
}
