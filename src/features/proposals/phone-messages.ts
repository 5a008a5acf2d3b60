/** The words of deciding on a phone. */

const en = {
  firstOfList: 'This is the first proposal in the list.',
  lastOfList: 'This is the last proposal in the list.',
  swipeHint: 'Swipe right to approve, left for the next proposal.',
  swipeApprove: 'Release to approve',
  swipeNext: 'Release for the next proposal',
  swipeNo: {
    buttons: 'A swipe can’t approve this proposal. Use the buttons.',
    changed: 'The file has changed since this was proposed. Use the buttons.',
    contested: 'An approval that can still be undone changes the same file. Use the buttons.',
    risk: 'A swipe approves only low-risk proposals. Use the button.',
  },
}

const uk: typeof en = {
  firstOfList: 'Це перша пропозиція у списку.',
  lastOfList: 'Це остання пропозиція у списку.',
  swipeHint: 'Проведіть праворуч, щоб схвалити, ліворуч — до наступної пропозиції.',
  swipeApprove: 'Відпустіть, щоб схвалити',
  swipeNext: 'Відпустіть, щоб перейти до наступної',
  swipeNo: {
    buttons: 'Цю пропозицію не можна схвалити жестом. Скористайтеся кнопками.',
    changed: 'Файл змінився, відколи це запропоновано. Скористайтеся кнопками.',
    contested: 'Схвалення, яке ще можна скасувати, змінює той самий файл. Скористайтеся кнопками.',
    risk: 'Жестом можна схвалити лише пропозицію низького ризику. Скористайтеся кнопкою.',
  },
}

export const phoneMessages = { en, uk }
