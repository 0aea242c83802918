/** Features that need several settings, all or none. */
const together: Record<string, readonly string[]> = {
  'sign-in by OpenID Connect': ['IDP_ISSUER', 'IDP_CLIENT_ID', 'IDP_CLIENT_SECRET'],
  'sign-in by a code host': ['CODEHOST_CLIENT_ID', 'CODEHOST_CLIENT_SECRET'],
  'another code host than the public one': ['CODEHOST_BASE_URL', 'CODEHOST_API_URL'],
  'paying for clones': ['TEMPO_RPC_URL', 'PATHUSD_ADDRESS', 'CLONE_PAY_TO'],
  'notices by a chat bot': ['NOTIFY_CHAT_API_URL', 'NOTIFY_CHAT_BOT_TOKEN', 'NOTIFY_CHAT_ADMIN_ID'],
}

/** What stays off though somebody has begun to set it up, and what it lacks. */
export function incomplete(values: Record<string, string>): string[] {
  return Object.entries(together).flatMap(([feature, names]) => {
    const missing = names.filter((name) => values[name] === undefined)
    const begun = missing.length < names.length
    return begun && missing.length > 0 ? [`${feature} stays off without ${missing.join(', ')}`] : []
  })
}
