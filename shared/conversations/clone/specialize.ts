import { lengthAsJson, longestPrompt } from '#shared/agents/record/config/schema.ts'
import type { Specialization } from '#shared/agents/record/lineage.ts'

const fields: Readonly<Record<Exclude<Specialization, 'general'>, string>> = {
  ar: 'artists and repertoire: finding talent, and looking after it',
  promo: 'promotion: making people notice, in the tone of what is promoted',
  booking: 'bookings: dates, fees, riders, and who is to do what by when',
  support: 'customer support: understanding the problem first, then solving it',
  analytics: 'analytics: figures, where they come from, and what follows from them',
}

/** Returns the parent's prompt followed by the clone's field, if both fit. */
export function specializedPrompt(
  prompt: string | undefined,
  specialization: Specialization,
): string | undefined {
  if (specialization === 'general') return prompt
  const field = `You specialise in ${fields[specialization]}.`
  const both = prompt === undefined ? field : `${prompt}\n\n${field}`
  return lengthAsJson(both) <= longestPrompt ? both : prompt
}
