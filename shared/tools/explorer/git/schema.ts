import * as z from 'zod'
import { countOf } from '#shared/platform/fields.ts'

export const gitStatusAnswer = z
  .object({
    ok: z.literal(true),
    isGitRepo: z.boolean(),
    branch: z.string().optional().describe('HEAD if no branch is checked out'),
    remote: z.string().nullable().optional(),
    changes: z
      .array(
        z.object({
          status: z.string().describe('The status letters of git status --porcelain=v1, trimmed'),
          path: z.string(),
        }),
      )
      .optional(),
    hasChanges: z.boolean().optional(),
  })
  .meta({ id: 'GitStatus' })

export const gitDiffQuery = z.object({ path: z.string().max(4096, 'path is too long').optional() })

export const gitDiffAnswer = z
  .object({
    ok: z.literal(true),
    unstaged: z
      .string()
      .nullable()
      .describe('Diff between the index and the working tree; null without a difference'),
    staged: z
      .string()
      .nullable()
      .describe('Diff between HEAD and the index; null without a difference'),
  })
  .meta({ id: 'GitDiff' })

export const gitLogQuery = z.object({ limit: countOf('limit', 20, 100) })

export const gitLogAnswer = z
  .object({
    ok: z.literal(true),
    commits: z.array(
      z.object({
        hash: z.string(),
        shortHash: z.string(),
        subject: z.string(),
        author: z.string(),
        date: z.string().describe('Relative date in Git’s format'),
      }),
    ),
  })
  .meta({ id: 'GitLog' })

export const gitSyncRequest = z.object({
  message: z
    .string()
    .max(10_000, 'message must have at most 10000 characters')
    .refine((text) => !text.includes('\0'), 'message has a zero byte')
    .transform((text) => text.toWellFormed().trim() || undefined)
    .optional(),
})

export const gitSyncAnswer = z
  .object({
    ok: z.literal(true),
    committed: z.boolean(),
    pushed: z.boolean(),
    hash: z.string().describe('The hash of the commit; empty without a commit'),
    message: z.string().describe('The result, and the reason if the push failed'),
  })
  .meta({ id: 'GitSync' })
