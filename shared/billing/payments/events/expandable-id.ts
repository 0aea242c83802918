import * as z from 'zod'

/** An expandable field of the provider's API: an id, or the object with that id. */
export const expandableId = z
  .union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)])
  .optional()
  .catch(undefined)
