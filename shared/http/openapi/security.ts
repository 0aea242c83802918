import type { GuardName } from '../guards/guard.ts'

/** The ways of authentication. */
export const securitySchemes = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'service-session',
    description:
      'The cookie service-session, set by POST /api/auth/login of the web surface. Requests from another site also need the token of GET /api/auth/csrf in x-csrf-token',
  },
  key: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A user’s API key (sk_…), from POST /api/keys of the web surface, or an OAuth access token (at_…) as bearer; it needs one of the scopes in the operation’s `x-scopes`',
  },
  internal: {
    type: 'http',
    scheme: 'bearer',
    description: 'INTERNAL_API_KEY as bearer; the header x-user-id names the user that it acts for',
  },
  agent: {
    type: 'http',
    scheme: 'bearer',
    description: 'The scoped key (ak_…) of an agent’s container as bearer',
  },
}

/** The schemes of a guard; any one of them is enough. */
export const securityOf: Record<GuardName, Record<string, never[]>[]> = {
  none: [],
  // OpenAPI has no scheme for a signature within the body; the body's schema describes it.
  signature: [],
  session: [{ session: [] }, { key: [] }],
  'own-session': [{ session: [] }],
  'optional-session': [{ session: [] }, { key: [] }, {}],
  'optional-credential': [{ session: [] }, { key: [] }, {}],
  'user-key': [{ key: [] }],
  internal: [{ internal: [] }],
  'proven-agent-or-anyone': [],
  'internal-or-user': [{ internal: [] }, { key: [] }],
  'internal-user-or-agent': [{ internal: [] }, { key: [] }, { agent: [] }],
  agent: [{ agent: [] }],
  'agent-or-internal': [{ agent: [] }, { internal: [] }],
}
