import * as z from 'zod'

/** ECS takes 8,192 characters of overrides for a whole task, the platform's own variables included. */
const longestPrompt = 4000

/** A row holds at most 400 KB, and the config is only a part of it. */
const longestConfig = 65_536

/** DynamoDB takes 32 levels, of which the row itself is one. */
const deepest = 16

/** The table takes UTF-8, which has no form for half a surrogate pair. */
export const shortText = (longest: number) =>
  z
    .string()
    .min(1)
    .max(longest)
    .overwrite((text) => text.toWellFormed())

/** The config of an agent: contract.md 7. What is not known here is kept as it is given. */
export const agentConfig = z
  .looseObject({
    plan: shortText(64).optional(),
    aiProvider: shortText(64).optional(),
    model: shortText(200).optional(),
    systemPrompt: z
      .string()
      .max(longestPrompt, `config.systemPrompt must have at most ${longestPrompt} characters`)
      .regex(/^[^\0]*$/, 'config.systemPrompt must not contain a NUL character')
      .overwrite((text) => text.toWellFormed())
      .optional(),
  })
  .refine((config) => isStorable(config), {
    error: 'config holds a value that cannot be stored',
    abort: true,
  })
  .refine(
    (config) => JSON.stringify(config).length <= longestConfig,
    `config must have at most ${longestConfig} characters as JSON`,
  )

/** Whether the table has a form for a JSON value. */
function isStorable(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value === 'number') return value === 0 || isStorableNumber(Math.abs(value))
  if (typeof value !== 'object' || value === null) return true
  if (depth >= deepest) return false
  return Object.entries(value).every(
    ([name, item]) => isStorableName(name) && isStorable(item, depth + 1),
  )
}

/** The document client tells an object's kind by its `constructor`, so no attribute can be called that. */
function isStorableName(name: string): boolean {
  return !['', '__proto__', 'constructor'].includes(name) && name.isWellFormed()
}

function isStorableNumber(size: number): boolean {
  return size <= Number.MAX_SAFE_INTEGER && size >= 1e-100
}
