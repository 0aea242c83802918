import * as z from 'zod'
import { askServer, type ServerRequest } from './ask.ts'
import { keptDialects } from './dialects.ts'
import type { ReachesServers, ServerAddress } from './exchange.ts'
import { ServerFailure } from './failure.ts'
import { mirroredParams } from './param-headers.ts'

/** Without invisible characters: the name is shown to people, and is a header of each call. */
const toolName = z
  .string()
  .max(128)
  .regex(/^\P{C}+$/u)

const named = z.object({ name: toolName })

/** A tool as its server declares it. */
const serverTool = z.object({
  name: toolName,
  title: z.string().optional(),
  description: z
    .string()
    .transform((text) => text.toWellFormed())
    .optional(),
  inputSchema: z.looseObject({ type: z.literal('object') }),
  annotations: z.looseObject({ readOnlyHint: z.boolean().optional() }).optional(),
})

export type ServerTool = z.output<typeof serverTool>

/** The tools of a server, and the names of those whose declarations are invalid. */
export interface ServerTools {
  tools: ServerTool[]
  invalid: string[]
}

const page = z.object({ tools: z.array(z.unknown()), nextCursor: z.string().optional() })

/** The most tools of a server, and the largest list in bytes: it is stored in one row, which has at most 400 KB. */
const maxTools = 500
const maxText = 300_000
const maxPages = 100

/** The most names of invalid declarations that are kept. */
const maxInvalid = 20

/** Returns the size of a tool in its row, which has the description a second time. */
function storedBytes({ name, description = '', ...rest }: ServerTool): number {
  const declared = JSON.stringify({ name, description, ...rest })
  return Buffer.byteLength(declared) + Buffer.byteLength(name) + Buffer.byteLength(description)
}

/**
 * Lists the tools of an MCP server, all pages, in the server's order and once per name.
 * @throws ServerFailure, also for a list that is too long
 */
export async function listServerTools(
  ctx: ReachesServers,
  server: ServerAddress,
  { budget, kept }: Pick<ServerRequest, 'budget' | 'kept'>,
): Promise<ServerTools> {
  const tools = new Map<string, ServerTool>()
  const invalid = new Set<string>()
  const cursors = new Set<string>()
  const known = kept ?? { dialects: keptDialects(), key: '' }
  let cursor: string | undefined
  let bytes = 0
  let pages = 0
  do {
    const params = cursor === undefined ? {} : { cursor }
    const request = { method: 'tools/list', params, budget, kept: known }
    const result = await askServer(ctx, server, request)
    const { data } = page.safeParse(result)
    if (data === undefined)
      throw new ServerFailure('invalid', 'The server’s list of tools cannot be read')
    for (const one of data.tools) {
      const { data: tool } = serverTool.safeParse(one)
      const { name } = tool ?? { ...named.safeParse(one).data }
      if (name === undefined || tools.has(name)) continue
      if (tool !== undefined && mirroredParams(tool.inputSchema) !== undefined) {
        tools.set(name, tool)
        bytes += storedBytes(tool)
      } else if (invalid.size < maxInvalid) invalid.add(name)
    }
    if (tools.size > maxTools || bytes > maxText)
      throw new ServerFailure('too-large', `The server has more than ${maxTools} tools or 300 KB`)
    cursor = data.nextCursor
    if (cursor !== undefined && ++pages >= maxPages)
      throw new ServerFailure('too-large', `The server’s list has more than ${maxPages} pages`)
    if (cursor !== undefined && cursors.has(cursor)) break
    if (cursor !== undefined) cursors.add(cursor)
  } while (cursor !== undefined)
  return { tools: [...tools.values()], invalid: [...invalid].filter((name) => !tools.has(name)) }
}
