import {
  NotFoundError,
  Platform,
  type PlatformError,
} from '../../../../clients/typescript/index.ts'

/** The results of the scenario. */
interface Seen {
  listed: string[]
  /** The number of chunks of the answer. */
  pieces: number
  answer: string
  logged: string | undefined
  error: { name: string; ofItsClass: boolean; status: number | undefined; hasRequest: boolean }
}

/** Lists agents, streams an answer, follows a log and is refused once. Without a key, the page's cookie is used. */
export async function seenBy(
  options: { baseUrl?: string; apiKey?: string },
  agentId: string,
): Promise<Seen> {
  const platform = new Platform(options)
  await platform.agents.waitUntil(agentId, 'running')
  const agents = await platform.agents.list()
  let pieces = 0
  let answer = ''
  for await (const event of platform.chat.stream({ agentId, message: 'Good morning' }))
    if (event.type === 'done') answer = event.reply
    else pieces += 1
  let logged: string | undefined
  for await (const line of platform.agents.logs.follow(agentId, { since: '1h' })) {
    logged = line.type
    break
  }
  const error = await platform.agents.get('agt_01h000000000000000abcdefgh').then(
    () => new Error('it was found'),
    (failure: unknown) => failure as Error,
  )
  const { name, status, requestId } = error as PlatformError
  return {
    listed: agents.map(({ id }) => id),
    pieces,
    answer,
    logged,
    error: {
      name,
      ofItsClass: error instanceof NotFoundError,
      status,
      hasRequest: requestId !== undefined,
    },
  }
}
