import { stripVTControlCharacters } from 'node:util'
import { agentId } from '../agent.ts'
import type { Cli, CommonFlags } from '../cli.ts'
import { command, flag } from '../command.ts'
import { CommandError, exitCodes } from '../failure.ts'

interface Turn {
  agentId: string
  message: string
  topic?: string | undefined
}

/** Sends a message and prints the reply as it arrives. */
export async function say(cli: Cli, flags: CommonFlags, turn: Turn): Promise<void> {
  const platform = await cli.platform(flags)
  for await (const event of platform.chat.stream(turn, { signal: cli.signal }))
    if (flags.json) cli.json(event)
    else if (event.type === 'delta') cli.write(event.content)
  if (!flags.json) cli.out('')
}

export const chat = command(
  {
    brief: 'Send a message to an agent; without one, read standard input or start a conversation',
    args: ['agent', 'message?'],
    flags: { topic: flag.text('The conversation to use') },
  },
  async (cli, flags, nameOrId = '', text) => {
    const turn = { agentId: await agentId(cli, flags, nameOrId), topic: flags.topic }
    if (text !== undefined) return say(cli, flags, { ...turn, message: text })
    if (!cli.isInteractive) return say(cli, flags, { ...turn, message: await cli.input() })
    const lines = await cli.lines()
    lines.setPrompt('> ')
    lines.prompt()
    for await (const message of lines) {
      if (message.trim() !== '') await say(cli, flags, { ...turn, message })
      lines.prompt()
    }
  },
)

export const logs = command(
  {
    brief: 'Show the logs of an agent',
    args: ['agent'],
    flags: {
      follow: flag.yes('Print new lines as they arrive, across restarts and reconnects'),
      since: flag.text('Start at this time: 10m, or 2026-01-31T12:00:00Z'),
      tail: flag.number('How many past lines to print; default 50'),
      grep: flag.text('Only lines that match this regular expression'),
    },
    aliases: { f: 'follow' },
  },
  async (cli, flags, nameOrId = '') => {
    const pattern = expression(flags.grep)
    const id = await agentId(cli, flags, nameOrId)
    const platform = await cli.platform(flags)
    const { since, tail } = flags
    if (!flags.follow) {
      const query = { since, limit: tail ?? (since === undefined ? 50 : 1000) }
      const { lines } = await platform.agents.logs.history(id, query, { signal: cli.signal })
      const found = lines.filter(({ text }) => pattern.test(text))
      if (flags.json) cli.json(found)
      else for (const { text } of found) printLine(cli, text)
      return
    }
    const lines = platform.agents.logs.follow(id, {
      since,
      tail,
      signal: cli.signal,
      onReconnect: ({ message }) => cli.say(`${message}; reconnecting`),
    })
    for await (const line of lines) {
      if (line.type === 'line' && !pattern.test(line.text ?? '')) continue
      if (flags.json) cli.json(line)
      else if (line.type === 'line') printLine(cli, line.text ?? '')
      else if (line.type === 'exit') cli.say(`The agent exited with code ${line.code ?? 'unknown'}`)
      else cli.say('Some lines are missing here: the log no longer has them')
    }
  },
)

/** Prints a line without its ANSI colours. */
function printLine(cli: Cli, text: string): void {
  cli.out(stripVTControlCharacters(text))
}

function expression(source = ''): RegExp {
  try {
    return new RegExp(source)
  } catch (cause) {
    throw new CommandError(
      exitCodes.usage,
      `${source} is not a regular expression: ${String(cause)}`,
    )
  }
}
