import type { Agent } from '../../typescript/index.ts'
import { command } from '../command.ts'
import { ActionRequired } from '../failure.ts'
import { say } from './talk.ts'

export const init = command(
  { brief: 'From a sign-in to first words with an agent' },
  async (cli, flags) => {
    const platform = await cli.platform(flags)
    const { plan } = await platform.settings.get({ signal: cli.signal })
    if (plan === 'free')
      throw new ActionRequired('A plan comes first', `open ${cli.urlOf(flags)}/welcome`)
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
