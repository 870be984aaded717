// Words as expressions over inputs, in a form that is unique as far as this is needed: if two words
// have the same form, they are equal whatever the inputs are. Nothing is ever guessed: where the
// forms differ, the check fails.
//
// A word is the exclusive or of terms, and a term the bitwise and of atoms under a mask (an
// algebraic normal form). An atom is an input, a sum modulo 2^32 whose addends are sorted and
// flattened, or a function that is not looked into; perhaps rotated. Shifts and rotations move
// masks and rotate atoms.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

[[noreturn]] inline void refuse(const char *why)
{
    std::printf("refused: %s\n", why);
    std::exit(1);
}

struct Atom {
    enum Kind { input, sum, opaque } kind;
    // The number of an input or of a function; of a sum, the addend that is known.
    uint32_t number;
    unsigned rotation;
    // The words that are added, or passed in.
    std::vector<int> words;

    bool operator<(const Atom &other) const
    {
        return std::tie(kind, number, rotation, words) <
               std::tie(other.kind, other.number, other.rotation, other.words);
    }
};

using Product = std::vector<int>;
using Form = std::map<Product, uint32_t>;

// Gives equal values equal numbers, from 0 on.
template <typename Value> class Table {
    std::map<Value, int> numbers;
    std::vector<const Value *> values;

public:
    int number(const Value &value)
    {
        const auto [place, isNew] = numbers.emplace(value, int(values.size()));
        if (isNew)
            values.push_back(&place->first);
        return place->second;
    }
    const Value &operator[](int number) const
    {
        if (number < 0 || size_t(number) >= values.size())
            refuse("a word that was never written");
        return *values[size_t(number)];
    }
    void clear()
    {
        numbers.clear();
        values.clear();
    }
};

// The next input that is not used yet.
inline uint32_t inputCount;

// Words that were made, and counts that were looked at, since they were forgotten. The largest
// claim has 13 million.
inline uint32_t madeCount;
inline void countOne()
{
    if (++madeCount > 20'000'000)
        refuse("steps without end");
}

inline Table<Atom> atoms;
// Words that are known have even numbers, which stay; all others have odd ones.
inline Table<Form> knownForms, otherForms;
inline bool isKnown(const Form &form)
{
    return form.empty() || (form.size() == 1 && form.begin()->first.empty());
}

// Copied as bytes by the code that is checked. 0 is the word 0, so that memory of zeros holds
// words.
struct Word {
    int form;

    Word() = default;
    Word(int value) : Word(uint32_t(value)) {}
    Word(unsigned value) : Word(value == 0 ? Form() : Form{{{}, value}}) {}
    Word(size_t value) : Word(unsigned(value)) {}
    explicit Word(const Form &form)
        : form(isKnown(form) ? 2 * knownForms.number(form) : 2 * otherForms.number(form) + 1)
    {
        countOne();
    }

    static Word of(const Atom &atom) { return Word(Form{{{atoms.number(atom)}, ~0u}}); }
    static Word input() { return of({Atom::input, inputCount++, 0, {}}); }

    const Form &terms() const
    {
        return form % 2 == 0 ? knownForms[form / 2] : otherForms[form / 2];
    }
    bool isConstant() const { return form % 2 == 0; }
    // For what branches and addresses depend on.
    uint32_t constant() const
    {
        if (!isConstant())
            refuse("a branch or an address depends on an input");
        return terms().empty() ? 0 : terms().begin()->second;
    }
    // For the check: whether both are the same expression.
    bool isSame(Word other) const { return form == other.form; }
    // For the code that is checked, whose branches must not depend on an input.
    bool operator==(Word other) const { return constant() == other.constant(); }

    Word &operator^=(Word other);
    Word &operator+=(Word other);
    // A counter.
    Word operator--(int)
    {
        const Word before = *this;
        *this = Word(constant() - 1);
        return before;
    }
    bool operator>(int other) const { return constant() > uint32_t(other); }
};

// The first word: its number is 0.
inline const Word zero = 0;

enum Operation { exclusiveOr, bitwiseAnd, rotation, addition };

// The results so far, by the numbers of the operands.
inline std::unordered_map<uint64_t, int> results[4];

// Calls `make` only for operands that it was not called for before.
template <typename Make> Word once(Operation operation, int left, int right, Make make)
{
    countOne();
    const uint64_t operands = uint64_t(left) << 32 | uint32_t(right);
    const auto known = results[operation].find(operands);
    Word word;
    if (known != results[operation].end()) {
        word.form = known->second;
        return word;
    }
    word = make();
    results[operation][operands] = word.form;
    return word;
}

// Begins anew: of the words so far, only known ones stay valid. The next claim takes less time with
// small tables.
inline void forgetWords()
{
    atoms.clear();
    otherForms.clear();
    for (auto &known : results)
        known.clear();
    inputCount = 0;
    madeCount = 0;
    if (zero.form != 0)
        refuse("memory of zeros holds no words");
}

inline void add(Form &form, const Product &product, uint32_t mask)
{
    // A wrong function of three words may grow with every round; the right ones have some hundred
    // terms.
    if (form.size() > 1000)
        refuse("an expression that grows without end");
    uint32_t &present = form[product];
    present ^= mask;
    if (present == 0)
        form.erase(product);
}

inline Word operator^(Word left, Word right)
{
    return once(exclusiveOr, left.form, right.form, [&] {
        Form form = left.terms();
        for (const auto &[product, mask] : right.terms())
            add(form, product, mask);
        return Word(form);
    });
}

inline Word operator&(Word left, Word right)
{
    return once(bitwiseAnd, left.form, right.form, [&] {
        Form form;
        for (const auto &[one, oneMask] : left.terms())
            for (const auto &[other, otherMask] : right.terms()) {
                if ((oneMask & otherMask) == 0)
                    continue;
                Product both;
                std::set_union(
                    one.begin(), one.end(), other.begin(), other.end(), std::back_inserter(both));
                add(form, both, oneMask & otherMask);
            }
        return Word(form);
    });
}

inline Word operator|(Word left, Word right) { return left ^ right ^ (left & right); }
inline Word operator~(Word word) { return word ^ Word(~0u); }

inline Word rotated(Word word, unsigned count)
{
    return once(rotation, word.form, int(count), [&] {
        Form form;
        for (const auto &[product, mask] : word.terms()) {
            Product moved;
            for (const int number : product) {
                Atom atom = atoms[number];
                atom.rotation = (atom.rotation + count) % 32;
                moved.push_back(atoms.number(atom));
            }
            std::sort(moved.begin(), moved.end());
            add(form, moved, count == 0 ? mask : mask << count | mask >> (32 - count));
        }
        return Word(form);
    });
}

inline unsigned shift(int count)
{
    if (count < 0 || count > 31)
        refuse("a shift by more than the word has");
    return unsigned(count);
}
inline Word operator<<(Word word, int count)
{
    return rotated(word, shift(count)) & Word(~0u << count);
}
inline Word operator>>(Word word, int count)
{
    return rotated(word, (32 - shift(count)) % 32) & Word(~0u >> count);
}

inline Word operator+(Word left, Word right)
{
    return once(addition, left.form, right.form, [&] {
        Atom total{Atom::sum, 0, 0, {}};
        for (const Word addend : {left, right}) {
            if (addend.isConstant()) {
                total.number += addend.constant();
                continue;
            }
            const auto &[product, mask] = *addend.terms().begin();
            const bool isAtom = addend.terms().size() == 1 && mask == ~0u && product.size() == 1;
            if (isAtom && atoms[product[0]].kind == Atom::sum && atoms[product[0]].rotation == 0) {
                const Atom part = atoms[product[0]];
                total.number += part.number;
                total.words.insert(total.words.end(), part.words.begin(), part.words.end());
            } else {
                total.words.push_back(addend.form);
            }
        }
        if (total.words.empty())
            return Word(total.number);
        if (total.words.size() == 1 && total.number == 0)
            return Word(otherForms[total.words[0] / 2]);
        std::sort(total.words.begin(), total.words.end());
        return Word::of(total);
    });
}

inline Word operator-(Word word, int number) { return word + Word(-number); }
inline Word &Word::operator^=(Word other) { return *this = *this ^ other; }
inline Word &Word::operator+=(Word other) { return *this = *this + other; }

// What `uint8_t` becomes.
struct Byte : Word {
    Byte() = default;
    Byte(Word word) : Word(word & Word(0xFF)) {}
    Byte(int value) : Byte(Word(value)) {}
};
// What makes a signed number of a byte in C, which then has other bits.
Word operator<<(Byte, int) = delete;
Word operator-(Byte, int) = delete;
Word operator~(Byte) = delete;

// What `uint64_t` becomes: a number that is known, or a word.
struct Count {
    bool isWord;
    Word word;
    uint64_t value;

    Count(int value) : isWord(false), word(0), value(uint64_t(value)) {}
    Count(uint64_t value) : isWord(false), word(0), value(value) {}
    Count(Word word) : isWord(true), word(word), value(0) {}
    Count() : Count(0) {}

    uint64_t known() const
    {
        countOne();
        return isWord ? word.constant() : value;
    }
    size_t operator%(int divisor) const { return size_t(known()) % size_t(divisor); }
    Count operator*(int factor) const { return Count(known() * uint64_t(factor)); }
    Count operator++(int)
    {
        const Count before = *this;
        *this = Count(known() + 1);
        return before;
    }
    Word operator>>(int count) const
    {
        if (count < 0 || count > 63)
            refuse("a shift by more than the word has");
        if (!isWord)
            return Word(uint32_t(value >> count));
        return count < 32 ? word >> count : Word(0);
    }
};

// What a vector of the compiler becomes: a word for each lane.
template <int count> struct Vector {
    Word lanes[count];

    Vector() = default;
    Vector(unsigned value)
    {
        for (Word &lane : lanes)
            lane = Word(value);
    }
    Vector(int value) : Vector(unsigned(value)) {}
    Vector(std::initializer_list<Word> words) { std::copy(words.begin(), words.end(), lanes); }

    template <typename Operation>
    static Vector each(const Vector &left, const Vector &right, Operation operation)
    {
        Vector result;
        for (int i = 0; i < count; i++)
            result.lanes[i] = operation(left.lanes[i], right.lanes[i]);
        return result;
    }
    friend Vector operator^(const Vector &a, const Vector &b)
    {
        return each(a, b, [](Word x, Word y) { return x ^ y; });
    }
    friend Vector operator&(const Vector &a, const Vector &b)
    {
        return each(a, b, [](Word x, Word y) { return x & y; });
    }
    friend Vector operator|(const Vector &a, const Vector &b)
    {
        return each(a, b, [](Word x, Word y) { return x | y; });
    }
    friend Vector operator+(const Vector &a, const Vector &b)
    {
        return each(a, b, [](Word x, Word y) { return x + y; });
    }
    Vector operator<<(int n) const
    {
        return each(*this, *this, [n](Word x, Word) { return x << n; });
    }
    Vector operator>>(int n) const
    {
        return each(*this, *this, [n](Word x, Word) { return x >> n; });
    }
    Vector &operator+=(const Vector &other) { return *this = *this + other; }
    Vector &operator^=(const Vector &other) { return *this = *this ^ other; }
    // A counter, which is the same in all lanes.
    Vector operator--(int)
    {
        const Vector before = *this;
        *this = *this + Vector(~0u);
        return before;
    }
    bool operator>(int other) const { return lanes[0] > other; }
};
