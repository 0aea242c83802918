import * as z from 'zod'
import { agentName, findAgentId } from '../find.ts'
import { type AskApi, tool } from '../tool.ts'

/** The maximum length of a text that a tool returns, in characters. */
const longestText = 12_000

const filePath = z.string().describe('Relative to the workspace')

const filesOf = async (ask: AskApi, agent: string) =>
  `/api/agents/${await findAgentId(ask, agent)}/files`

export const fileTools = [
  tool({
    name: 'list_files',
    title: 'List files of an agent',
    description: 'The files and folders in a folder; the workspace by default.',
    kind: 'read',
    input: z.object({ agent: agentName, path: filePath.optional() }),
    output: z.looseObject({ entries: z.array(z.looseObject({ path: z.string() })) }),
    call: async (ask, { agent, path }) =>
      ask({ method: 'GET', path: await filesOf(ask, agent), query: { path, limit: 200 } }),
  }),
  tool({
    name: 'read_file',
    title: 'Read a file of an agent',
    description: `The first ${longestText} characters of a text file.`,
    kind: 'read',
    input: z.object({ agent: agentName, path: filePath }),
    output: z.looseObject({ text: z.string(), isCut: z.boolean() }),
    call: async (ask, { agent, path }) => {
      const content = `${await filesOf(ask, agent)}/content`
      const text = String((await ask({ method: 'GET', path: content, query: { path } })).text)
      return { path, text: text.slice(0, longestText), isCut: text.length > longestText }
    },
  }),
  tool({
    name: 'write_file',
    title: 'Write a file of an agent',
    description: 'Writes a text file, and replaces an existing one.',
    kind: 'write',
    destructive: true,
    input: z.object({ agent: agentName, path: filePath, content: z.string() }),
    output: z.looseObject({}),
    call: async (ask, { agent, path, content: text }) =>
      ask({
        method: 'PUT',
        path: `${await filesOf(ask, agent)}/content`,
        query: { path },
        text,
      }),
  }),
]
