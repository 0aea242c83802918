/** The longest text of an answer to a webhook in characters; more than the longest message of an agent. */
export const webhookText = 100_000
