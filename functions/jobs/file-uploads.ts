import { userMailer } from '#shared/accounts/users/user-mailer.ts'
import { settleUploads } from '#shared/agents/files/uploads/settle.ts'
import { fileUploads } from '#shared/agents/files/uploads/topic.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { s3PartialObjects } from '#shared/platform/objects/partial.ts'
import { sealer } from '#shared/platform/seal.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { jobWith } from '../common/job.ts'

/** Commits files that were uploaded by a link. */
export const job = jobWith<typeof wire>()({
  topic: fileUploads,
  handle: (ctx, message) => settleUploads({ ...ctx, mailer: userMailer(ctx) }, message),
})

export function wire(config: ConfigOf<'file-uploads'>) {
  const { WALLET_ENCRYPTION_KEY: encryptionKey } = config
  return {
    services: {
      table: openTable(config),
      packs: s3PartialObjects(config),
      encryptionKey,
      sealer: encryptionKey === undefined ? undefined : sealer(encryptionKey),
      webUrl: config.WEB_URL,
      adminEmails: config.ADMIN_EMAILS,
    },
  }
}
