/** The kinds of channels: contract.md 18. */
export const kinds = ['telegram', 'slack', 'whatsapp', 'email', 'webhook'] as const

export type Kind = (typeof kinds)[number]
