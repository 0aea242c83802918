import * as z from 'zod'

const callbackPath = '/api/connections/callback'

const documentPath = '/api/connections/client'

/** The redirect URI of all sign-ins. */
export function redirectUri(webUrl: string): string {
  return `${webUrl}${callbackPath}`
}

/** The address of the platform's client metadata, which is also its client id at servers that support this. */
export function clientDocumentUrl(webUrl: string): string {
  return `${webUrl}${documentPath}`
}

/** Returns the platform's metadata as a client (RFC 7591), for a registration and for its own document. */
export function clientMetadata(webUrl: string) {
  const { protocol } = new URL(webUrl)
  return {
    client_name: 'Agent platform',
    client_uri: webUrl,
    redirect_uris: [redirectUri(webUrl)],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    // OpenID Connect Registration: only a native client may redirect to plain HTTP on loopback.
    application_type: protocol === 'https:' ? 'web' : 'native',
  }
}

export const clientDocument = z
  .object({
    client_id: z.string(),
    client_name: z.string(),
    client_uri: z.string(),
    redirect_uris: z.array(z.string()),
    grant_types: z.array(z.string()),
    response_types: z.array(z.string()),
    application_type: z.string(),
    token_endpoint_auth_method: z.string(),
  })
  .meta({ id: 'OAuthClientDocument' })

/** Returns the document that servers with `client_id_metadata_document_supported` read. */
export function clientDocumentOf(webUrl: string): z.output<typeof clientDocument> {
  return {
    client_id: clientDocumentUrl(webUrl),
    ...clientMetadata(webUrl),
    token_endpoint_auth_method: 'none',
  }
}
