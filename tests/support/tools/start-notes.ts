import type { ServerResponse } from 'node:http'
import type { Provider } from 'oidc-provider'
import { startAuthorizationServer, startProtectedServer } from './sign-in-server.ts'

/** Starts an MCP server with notes, and an authorization server that signs everyone in as Ada without a question. */
export async function startNotes() {
  const signIn = await startAuthorizationServer({
    answer: (provider, request, response) => {
      if (request.url?.startsWith('/interaction/') !== true) return false
      void agree(provider, request, response)
      return true
    },
  })
  const server = await startProtectedServer(signIn)
  const notes = ['Buy tea.']
  server.played.tools = {
    list_notes: { description: 'Lists the notes', readOnly: true, call: () => notes.join('\n') },
    add_note: {
      description: 'Adds a note',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      call: ({ text }) => {
        notes.push(String(text))
        return `There are ${notes.length} notes.`
      },
    },
  }
  return {
    url: server.url,
    /** The settings of a platform that may reach both. */
    settings: {
      FETCH_ALLOW_HOSTS: `${server.host},${signIn.host}`,
      NODE_EXTRA_CA_CERTS: server.certFile,
    },
    async close() {
      await server.close()
      await signIn.close()
    },
  }
}

type Interaction = Parameters<Provider['interactionDetails']>[0]

/** Signs the browser in and grants what the client asks for, in place of a page that asks. */
async function agree(
  provider: Provider,
  request: Interaction,
  response: ServerResponse,
): Promise<void> {
  try {
    const { params, prompt } = await provider.interactionDetails(request, response)
    const accountId = 'ada'
    const grant = new provider.Grant({ accountId, clientId: String(params['client_id']) })
    grant.addOIDCScope(String(params['scope'] ?? ''))
    const { missingResourceScopes = {} } = prompt.details as {
      missingResourceScopes?: Record<string, string[]>
    }
    for (const [resource, scopes] of Object.entries(missingResourceScopes))
      grant.addResourceScope(resource, scopes.join(' '))
    const result = { login: { accountId }, consent: { grantId: await grant.save() } }
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true })
  } catch (error) {
    response.writeHead(400).end(String(error))
  }
}
