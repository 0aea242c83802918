import * as z from 'zod'

/** An id of the provider's API. The provider's ids have at most 255 characters; the table's keys contain them. */
export const providerId = z.string().max(255)

/** An expandable field of the provider's API: an id, or the object with that id. */
export const expandableId = z
  .union([providerId, z.object({ id: providerId }).transform(({ id }) => id)])
  .optional()
  .catch(undefined)
