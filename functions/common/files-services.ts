import { userMailer } from '#shared/accounts/users/user-mailer.ts'
import type { FilesContext } from '#shared/agents/files/change.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import { s3Links, s3UploadLinks } from '#shared/platform/objects/links.ts'
import { s3PartialObjects } from '#shared/platform/objects/partial.ts'
import { openQueues } from '#shared/platform/queues/open.ts'
import type { Origin } from '#shared/platform/queues/port.ts'
import { sealer } from '#shared/platform/seal.ts'
import type { Table } from '#shared/platform/table/port.ts'

export type FilesServices = Omit<FilesContext, 'log'> & Can<'links' | 'uploadLinks'>

/** Returns the services of the routes of agents' files, by the request's table and origin. */
export function filesServices(config: ConfigOf<'web-files' | 'backend-files'>) {
  const queuesFor = openQueues(config)
  const {
    WALLET_ENCRYPTION_KEY: encryptionKey,
    WEB_URL: webUrl,
    ADMIN_EMAILS: adminEmails,
  } = config
  const seals = encryptionKey === undefined ? undefined : sealer(encryptionKey)
  const stores = {
    packs: s3PartialObjects(config),
    links: s3Links(config),
    uploadLinks: s3UploadLinks(config),
  }
  return (table: Table, origin: Origin): FilesServices => {
    const queues = queuesFor(origin)
    const mailer = userMailer({ table, queues, sealer: seals })
    return { table, ...stores, encryptionKey, queues, mailer, webUrl, adminEmails }
  }
}
