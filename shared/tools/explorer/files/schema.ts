import * as z from 'zod'
import { countOf } from '#shared/platform/fields.ts'

/** contract.md 10, Explorer. */
export const maxFileBytes = 1_048_576

const path = z
  .string({ error: 'path required' })
  .min(1, 'path required')
  .max(4096, 'path is too long')

export interface TreeNode {
  name: string
  path: string
  type: 'folder' | 'file'
  /** Always set for a folder. */
  children?: TreeNode[] | undefined
  truncated?: true | undefined
}

const treeNode: z.ZodType<TreeNode> = z
  .object({
    name: z.string(),
    path: z
      .string()
      .describe(
        'Path from the root with slashes; empty for the root. In quotes, as git writes it, if it is not UTF-8',
      ),
    type: z.enum(['folder', 'file']),
    get children() {
      return z
        .array(treeNode)
        .optional()
        .describe('Present on every folder; empty at the maximum depth')
    },
    truncated: z.literal(true).optional().describe('True if entries are omitted'),
  })
  .meta({ id: 'TreeNode' })

export const treeQuery = z.object({ depth: countOf('depth', 3, 4) })
export const treeAnswer = z.object({ ok: z.literal(true), root: treeNode })

export const readQuery = z.object({ path })
export const readAnswer = z.object({
  ok: z.literal(true),
  path: z.string(),
  content: z.string(),
  size: z.number().describe('Bytes'),
  modified: z.iso.datetime(),
})

export const writeRequest = z.object({ path, content: z.string({ error: 'content required' }) })
export const writeAnswer = z.object({
  ok: z.literal(true),
  path: z.string(),
  size: z.number().describe('Bytes'),
})
