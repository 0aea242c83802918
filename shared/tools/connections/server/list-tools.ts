import * as z from 'zod'
import { askServer, type ServerRequest } from './ask.ts'
import type { ReachesServers, ServerAddress } from './exchange.ts'
import { ServerFailure } from './failure.ts'

/** A tool as its server declares it. */
const serverTool = z.object({
  // Without invisible characters: the name is shown to people, and is a header of each call.
  name: z
    .string()
    .max(128)
    .regex(/^\P{C}+$/u),
  title: z.string().optional(),
  description: z
    .string()
    .transform((text) => text.toWellFormed())
    .optional(),
  inputSchema: z.looseObject({ type: z.literal('object') }),
  annotations: z.looseObject({ readOnlyHint: z.boolean().optional() }).optional(),
})

export type ServerTool = z.output<typeof serverTool>

const page = z.object({ tools: z.array(z.unknown()), nextCursor: z.string().optional() })

/** The tools of a server; the list is stored in one row of at most 400 KB. */
const maxTools = 500
const maxText = 300_000

/** Returns the size of a tool in its row, which has the description a second time. */
function storedBytes({ name, description = '', ...rest }: ServerTool): number {
  const declared = JSON.stringify({ name, description, ...rest })
  return Buffer.byteLength(declared) + Buffer.byteLength(name) + Buffer.byteLength(description)
}

/**
 * Lists the tools of an MCP server, all pages, in the server's order and once per name. Leaves out declarations that are
 * not tools.
 * @throws ServerFailure, also for a list that is too long
 */
export async function listServerTools(
  ctx: ReachesServers,
  server: ServerAddress,
  { budget, kept }: Pick<ServerRequest, 'budget' | 'kept'>,
): Promise<ServerTool[]> {
  const tools = new Map<string, ServerTool>()
  const cursors = new Set<string>()
  let cursor: string | undefined
  do {
    const params = cursor === undefined ? {} : { cursor }
    const result = await askServer(ctx, server, { method: 'tools/list', params, budget, kept })
    const { data } = page.safeParse(result)
    if (data === undefined)
      throw new ServerFailure('invalid', 'The server’s list of tools cannot be read')
    for (const one of data.tools) {
      const { data: tool } = serverTool.safeParse(one)
      if (tool !== undefined && !tools.has(tool.name)) tools.set(tool.name, tool)
    }
    const size = [...tools.values()].reduce((sum, tool) => sum + storedBytes(tool), 0)
    if (tools.size > maxTools || size > maxText)
      throw new ServerFailure('too-large', `The server has more than ${maxTools} tools or 300 KB`)
    cursor = data.nextCursor
    if (cursor !== undefined && cursors.has(cursor)) break
    if (cursor !== undefined) cursors.add(cursor)
  } while (cursor !== undefined)
  return [...tools.values()]
}
