/** Serves the folder in the first argument, delivers webhooks to the second and prints its URL, until it is killed. */
import { startCheckout } from '../start.ts'
import { secretKey, webhookSecret } from './keys.ts'

const [dir = '', receiver = ''] = process.argv.slice(2)
const checkout = await startCheckout({ dir, secretKey, webhookSecret })
checkout.deliverTo(receiver)
process.stdout.write(checkout.url)
