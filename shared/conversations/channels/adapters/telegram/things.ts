import * as z from 'zod'

const place = z.object({ latitude: z.number(), longitude: z.number() })

/** The fields of a message without text or file: core.telegram.org/bots/api#message. */
export const sentThings = {
  sticker: z.object({ emoji: z.string().optional() }).optional().catch(undefined),
  location: place.optional().catch(undefined),
  venue: z
    .object({ location: place, title: z.string(), address: z.string().catch('') })
    .optional()
    .catch(undefined),
  contact: z
    .object({
      phone_number: z.string(),
      first_name: z.string().catch(''),
      last_name: z.string().catch(''),
    })
    .optional()
    .catch(undefined),
}

/** Returns what a message without text or file contains, in words; empty for any other thing. */
export function textOfThing({
  sticker,
  location,
  venue,
  contact,
}: z.output<z.ZodObject<typeof sentThings>>): string {
  if (sticker !== undefined) return `[sticker ${sticker.emoji ?? ''}`.trim() + ']'
  // The message of a venue also has its location.
  if (venue !== undefined)
    return `[place: ${[venue.title, venue.address].filter(Boolean).join(', ')} (${coordinates(venue.location)})]`
  if (location !== undefined) return `[location: ${coordinates(location)}]`
  if (contact === undefined) return ''
  const name = [contact.first_name, contact.last_name].filter(Boolean).join(' ')
  return `[contact: ${[name, contact.phone_number].filter(Boolean).join(', ')}]`
}

function coordinates({ latitude, longitude }: z.output<typeof place>): string {
  return `${latitude}, ${longitude}`
}
