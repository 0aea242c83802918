import * as z from 'zod'
import { pathFault } from './path.ts'
import { uploadBytes } from './uploads/create.ts'

/** A path below the agent's workspace. @param allowed a text that is also valid */
function pathText(name: string, allowed?: '') {
  return z
    .string({ error: `${name} required` })
    .superRefine((path, { addIssue }) => {
      const fault = path === allowed ? undefined : pathFault(path)
      if (fault !== undefined) addIssue({ code: 'custom', message: fault.replace(/^path/, name) })
    })
    .describe('Relative to the agent’s workspace, without “.”, “..” or empty segments')
}

export const listQuery = z.object({
  path: pathText('path', '').default('').describe('A folder; the workspace by default'),
  limit: z
    .string()
    .regex(/^[1-9]\d{0,8}$/, 'limit must be a whole number from 1')
    .transform((text) => Math.min(Number(text), 1000))
    .default(100),
  cursor: z.string().optional().describe('`cursor` of the previous page'),
})

export const fileQuery = z.object({ path: pathText('path') })

export const deleteQuery = z.object({
  path: pathText('path'),
  recursive: z
    .enum(['true', 'false'])
    .default('false')
    .describe('`true` deletes a folder with its content'),
})

export const fileList = z
  .object({
    entries: z.array(
      z
        .object({
          name: z.string(),
          path: z.string(),
          type: z.enum(['file', 'folder']),
          size: z.int().nullable().describe('In bytes; null for a folder'),
          modified: z.string().describe('ISO 8601'),
        })
        .meta({ id: 'AgentFileEntry' }),
    ),
    cursor: z.string().nullable().describe('The next page; null at the end'),
  })
  .meta({ id: 'AgentFileList' })

export const writtenFile = z
  .object({ path: z.string(), size: z.int(), modified: z.string().describe('ISO 8601') })
  .meta({ id: 'WrittenAgentFile' })

export const deletedFile = z
  .object({ path: z.string(), deleted: z.literal(true) })
  .meta({ id: 'DeletedAgentFile' })

export const fileMove = z
  .object({
    from: pathText('from'),
    to: pathText('to'),
    overwrite: z.boolean().default(false).describe('Replaces what exists at `to`'),
  })
  .meta({ id: 'AgentFileMove' })

export const movedFile = z
  .object({ from: z.string(), to: z.string() })
  .meta({ id: 'MovedAgentFile' })

export const newUpload = z
  .object({
    path: pathText('path'),
    size: z
      .int('size must be a whole number')
      .min(0, 'size must be at least 0')
      .max(uploadBytes, `size must be at most ${uploadBytes}`)
      .describe('The exact size in bytes'),
  })
  .meta({ id: 'NewAgentFileUpload' })

export const uploadLink = z
  .object({
    url: z.string().describe('Send the bytes to this address, once'),
    method: z.literal('PUT'),
    headers: z.record(z.string(), z.string()).describe('Headers that the request must have'),
    expiresAt: z.string().describe('ISO 8601'),
  })
  .meta({ id: 'AgentFileUpload' })

export const storageView = z
  .object({
    usedBytes: z.int(),
    quotaBytes: z.int(),
    agents: z.array(z.object({ agentId: z.string(), bytes: z.int() })),
    measuredAt: z.string().nullable().describe('ISO 8601; null before the first measure'),
  })
  .meta({ id: 'Storage' })
