import * as z from 'zod'

/** contract.md 7, memory. */
export const longestNote = 100_000
const maxKeys = 50

/** The limits of an agent's memory, which is read as a whole and sent to each new container. */
export const memoryLimits = { notes: 200, characters: 5_000_000 }

/** A key is a file name in the agent's workspace, so it has the form that agent/gateway accepts. */
export const noteName = /^(?!__proto__$)[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$/

const key = z
  .string({ error: 'key required' })
  .regex(
    noteName,
    'key must be 1 to 64 of A-Z, a-z, 0-9, ".", "_" and "-", and not start with a dot',
  )

const note = z
  .string('memory must be a string, or null to delete it')
  .max(longestNote, `memory must have at most ${longestNote} characters`)
  .overwrite((text) => text.toWellFormed())
  .nullable()

const notes = z.record(key, note).refine((memory) => {
  const { length } = Object.keys(memory)
  return length > 0 && length <= maxKeys
}, `memory must have 1 to ${maxKeys} keys`)

export const agentIdText = z
  .string({ error: 'agentId required' })
  .min(1, 'agentId required')
  .max(64, 'agentId must have at most 64 characters')

/** One note by `key`, or several as an object. null deletes a note. */
export const memoryChange = z
  .object({
    agentId: agentIdText,
    key: key.optional(),
    memory: z.union(
      [note, notes],
      `memory must be a string, or an object with at most ${maxKeys} keys whose values are strings, or null to delete the key`,
    ),
  })
  .refine(({ key, memory }) => (key === undefined) === isNotes(memory), {
    error: 'memory must be a string if key is set; otherwise an object whose values are strings',
    path: ['memory'],
  })
  .meta({ id: 'MemoryChange' })

/** Texts by key. null deletes a note. */
export type Notes = Readonly<Record<string, string | null>>

function isNotes(memory: string | null | Notes): memory is Notes {
  return typeof memory === 'object' && memory !== null
}

/** Returns the notes of a change in either form. */
export function notesOf({ key, memory }: Pick<MemoryChange, 'key' | 'memory'>): Notes {
  return isNotes(memory) ? memory : { [key ?? '']: memory }
}

export const memoryDeletion = z.object({ agentId: agentIdText, key }).meta({ id: 'MemoryDeletion' })

export const memoryDeleted = z.object({
  success: z.literal(true),
  agentId: z.string(),
  key: z.string(),
})

/** A note that an agent changes itself. */
export const noteChange = z.object({ key, text: note })

export type MemoryChange = z.output<typeof memoryChange>

export const memoryAnswer = z
  .object({
    memory: z.record(z.string(), z.string()),
    agentId: z.string(),
    count: z.number(),
    lastUpdated: z.string().nullable(),
  })
  .meta({ id: 'Memory' })

export const memoryChanged = z.union([
  z.object({
    success: z.literal(true),
    agentId: z.string(),
    key: z.string(),
    saved: z.literal(true),
  }),
  z.object({
    success: z.literal(true),
    agentId: z.string(),
    keysUpdated: z.number(),
    saved: z.literal(true),
  }),
])
