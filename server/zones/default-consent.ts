/** What a guest agrees to when the owner wrote no text of their own; in both languages, since the guest's is not known. */
export const DEFAULT_CONSENT = `You are invited to read a part of a private garden of notes.

Your visit is recorded: when you entered, which terms you accepted, and a hash of your network address. You can read and nothing else. The owner can end your access at any time. Please do not pass the code on.

Вас запрошено прочитати частину приватного саду нотаток.

Ваш візит записується: коли ви ввійшли, з якими умовами погодилися, і хеш вашої мережевої адреси. Ви можете лише читати. Власник може закрити доступ будь-коли. Будь ласка, не передавайте код іншим.`
