export interface Credentials {
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string
}

/**
 * Returns the credentials for a request to AWS: the current ones in the environment, as on Lambda and on one machine, or
 * credentials that the SDK's chain finds and renews.
 */
export function credentials(): Credentials | Promise<Credentials> {
  const {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
    AWS_PROFILE: profile,
  } = process.env
  const isGiven = accessKeyId !== undefined && secretAccessKey !== undefined
  // A profile precedes the keys of the environment, as in the SDK.
  if (isGiven && profile === undefined)
    return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) }
  return fromChain()
}

/** Credentials are renewed this long before they expire, as by the SDK's clients. */
const renewalMs = 300_000

let chain: (() => Promise<Credentials>) | undefined

async function fromChain(): Promise<Credentials> {
  if (chain === undefined) {
    const [{ defaultProvider }, { memoize }] = await Promise.all([
      import('@aws-sdk/credential-provider-node'),
      import('@smithy/core/config'),
    ])
    chain ??= memoize(
      defaultProvider(),
      ({ expiration }) => expiration !== undefined && expiration.getTime() - Date.now() < renewalMs,
      ({ expiration }) => expiration !== undefined,
    )
  }
  return chain()
}

let found: Promise<string> | undefined

/** Returns the region for requests to AWS. @throws Error if neither the environment nor a profile names one */
export function region(): string | Promise<string> {
  return process.env.AWS_REGION ?? (found ??= fromProfile())
}

async function fromProfile(): Promise<string> {
  const { loadConfig, NODE_REGION_CONFIG_FILE_OPTIONS, NODE_REGION_CONFIG_OPTIONS } =
    await import('@smithy/core/config')
  return loadConfig(NODE_REGION_CONFIG_OPTIONS, NODE_REGION_CONFIG_FILE_OPTIONS)()
}
