import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'
import { dueIndex } from '#shared/platform/work/due-index.ts'
import { connectionStates } from './states.ts'

/** The ways to authenticate at a token endpoint, the preferred one first. */
export const authMethods = ['none', 'client_secret_basic', 'client_secret_post'] as const

export type AuthMethod = (typeof authMethods)[number]

/** An authorization server, and this platform as its client. */
const signInServer = () =>
  z.object({
    issuer: z.string(),
    authorizationEndpoint: z.string().optional(),
    tokenEndpoint: z.string(),
    revocationEndpoint: z.string().optional(),
    /** True if its authorization responses contain `iss`: RFC 9207. */
    sendsIssuer: z.boolean().optional(),
    /** The parameter `resource` of RFC 8707. */
    resource: z.string(),
    clientId: z.string(),
    /** Absent for a public client. */
    sealedSecret: z.string().optional(),
    authMethod: z.enum(authMethods),
  })

export type SignInServer = z.output<ReturnType<typeof signInServer>>

/**
 * An agent's connection to an MCP server. Its tools are a row of their own, so that a call does not read their schemas.
 */
export const connectionRows = entity({
  name: 'connection',
  pk: 'user#{userId}',
  sk: 'connection#{agentId}#{name}',
  schema: () =>
    z.object({
      name: z.string(),
      url: z.string(),
      /** ISO 8601. */
      createdAt: z.string(),
      state: z.enum(connectionStates),
      /** Why it is `signed-out` or `failed`, for its owner. */
      reason: z.string().optional(),
      /** The names of the tools that the agent may use. */
      allow: z.array(z.string()),
      /** The names of the listed tools that declare that they only read. */
      readOnly: z.array(z.string()),
      /** The names of the listed tools with parameters that a header of each call repeats. */
      mirrored: z.array(z.string()).optional(),
      /** Absent for a server without sign-in. */
      server: signInServer().optional(),
      tokens: z
        .object({
          /** JSON with `accessToken` and `refreshToken`, encrypted. */
          sealed: z.string(),
          /** When they are refreshed, in epoch milliseconds; absent if the server does not say when they expire. */
          refreshAt: z.number().optional(),
        })
        .optional(),
      /** The process that refreshes the tokens, until its lease expires in epoch milliseconds. */
      refresh: z.object({ holder: z.string(), until: z.number() }).optional(),
      /** Scopes that the server has asked for since the last sign-in, separated by spaces. */
      wantedScope: z.string().optional(),
      /** True until its owner was told that it is signed out. */
      untold: z.boolean().optional(),
      /** Incremented by every write. */
      revision: z.number(),
    }),
})

/** The tools of a connection, as its server listed them last. */
export const connectionToolRows = entity({
  name: 'connection’s tools',
  pk: 'user#{userId}',
  sk: 'connection-tools#{agentId}#{name}',
  schema: () =>
    z.object({
      /** ISO 8601. */
      readAt: z.string(),
      tools: z.array(
        z.object({
          name: z.string(),
          description: z.string().optional(),
          /** The server's declaration, as JSON. */
          declared: z.string(),
        }),
      ),
      /** The names of tools whose declarations are invalid. */
      invalid: z.array(z.string()).optional(),
    }),
})

/** A sign-in that a user has begun, by the hash of its state. Deleted when its answer arrives; expires after 10 minutes. */
export const connectionSignInRows = entity({
  name: 'sign-in of a connection',
  pk: 'user#{userId}',
  sk: 'connection-sign-in#{agentId}#{stateHash}',
  schema: () =>
    z.object({
      name: z.string(),
      /** The creation time of its connection, so that a later connection of the same name does not get the tokens. */
      createdAt: z.string(),
      /** The hash of the session that began it; absent if a key began it. */
      session: z.string().optional(),
      /** The code verifier of PKCE, encrypted. */
      sealedVerifier: z.string(),
      server: signInServer(),
    }),
})

/** The index of tokens that are not revoked yet. */
export const revocationsDue = dueIndex('connection-revocations', 1)

/** Tokens of a connection that no longer exists, until they are revoked at their server. Expires after two days. */
export const connectionRevocationRows = entity({
  name: 'revocation of a connection’s tokens',
  pk: 'connection-revocation#{id}',
  sk: 'connection-revocation',
  gsi1: { pk: 'connection-revocations#{shard}', sk: '{at}#{id}' },
  schema: () =>
    z.object({
      /** Derived from the tokens, so that a repeated deletion writes the same row. */
      id: z.string(),
      agentId: z.string(),
      /** The connection's name. */
      name: z.string(),
      server: signInServer(),
      /** The tokens as the connection had them, encrypted. */
      sealed: z.string(),
      /** The number of attempts of the schedule. */
      attempts: z.number(),
    }),
})

/** The number of an agent's connections. */
export const connectionCountRows = entity({
  name: 'number of connections',
  pk: 'user#{userId}',
  sk: 'connection-count#{agentId}',
  schema: () => z.object({ count: z.number() }),
})

/** One request over a connection. Its ULID contains its start. Expires after 30 days. */
export const connectionRequestRows = entity({
  name: 'connection request',
  pk: 'user#{userId}',
  sk: 'connection-request#{agentId}#{place}',
  schema: () =>
    z.object({
      /** ISO 8601. */
      at: z.string(),
      /** The connection's name. */
      connection: z.string(),
      /** The method of MCP. */
      method: z.string(),
      /** Null for another method than `tools/call`. */
      tool: z.string().nullable(),
      /** The decision of the policy; null for a method without one. */
      decision: z.enum(['allow', 'ask', 'deny']).nullable(),
      /** The status of the server's response; null until it responds. */
      status: z.number().nullable(),
      /** The bytes of the response; null until it ends. */
      bytes: z.number().nullable(),
      /** The duration in milliseconds; null until the response ends. */
      ms: z.number().nullable(),
    }),
})
