import * as z from 'zod'

/** The message of the log lines that publish heads. */
export const headsMessage = 'audit heads'

/** The end of a user's chain at the time of publication. */
export type PublishedHead = readonly [userId: string, seq: number, hash: string]

/**
 * Reads the published heads from a log's lines, as written or as exported with other text in front; other lines are
 * ignored.
 * @param heads the result for earlier lines, which is extended
 * @returns the hashes of each user by entry number; more than one hash if the log contradicts itself
 */
export function publishedHeads(
  lines: Iterable<string>,
  heads: PublishedHeads = new Map(),
): PublishedHeads {
  for (const line of lines)
    for (const [userId, seq, hash] of headsOf(line)) {
      const ofUser = heads.get(userId) ?? new Map<number, Set<string>>()
      heads.set(userId, ofUser.set(seq, (ofUser.get(seq) ?? new Set()).add(hash)))
    }
  return heads
}

export type PublishedHeads = Map<string, Map<number, Set<string>>>

const form = z.object({
  message: z.literal(headsMessage),
  heads: z.array(z.tuple([z.string(), z.int().positive(), z.string()])),
})

function headsOf(line: string): readonly PublishedHead[] {
  if (!line.includes(headsMessage)) return []
  const read = z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown
      } catch {
        context.addIssue('no JSON')
        return z.NEVER
      }
    })
    .pipe(form)
    .safeParse(line.slice(line.indexOf('{')))
  return read.success ? read.data.heads : []
}
